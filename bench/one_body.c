#include "bench/one_body.h"

SinewStatus sn_one_body_make(const SnOneBodyDef *def, SnOneBody *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SnModelDef model = {.workers = def->workers,
                        .kernels = def->kernels,
                        .name = "bench",
                        .materials = &materials,
                        .options = def->options};

    *out =
        (SnOneBody){.model = def->model, .motions = {sn_affine_identity(), sn_affine_identity()}};
    out->step = (SnStep){.pin_motions = out->motions, .workers = def->workers};
    SN_TRY(sn_material_make(def->material, "bench", &material, error));
    SN_TRY(sn_solid_create(def->solid, def->workers, NULL, &out->solid, error));
    model.solid = out->solid;
    SN_TRY(def->model->create(&model, &out->body, error));
    SN_TRY(def->model->set_pins(out->body, def->pins, def->pin_count, error));
    SN_TRY(sn_one_body_keep(out, error));

done:
    return status;
}

SinewStatus sn_one_body_keep(SnOneBody *one, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t size = one->model->state_size(one->body);
    sn_free(NULL, one->kept);
    one->kept = sn_alloc(NULL, size, 1);
    SN_TRY(sn_expect_memory(one->kept, size, 1, error));
    one->model->save(one->body, one->kept);

done:
    return status;
}

static void put_back(void *context)
{
    SnOneBody *one = context;
    one->model->restore(one->body, one->kept);
}

static void move(void *context, SnWorkers *workers)
{
    SnOneBody *one = context;
    (void)workers; // the body has them
    SinewStatus status = one->step.dt > 0.0
                             ? one->model->step(one->body, &one->step, &one->report, NULL)
                             : one->model->solve_static(one->body, &one->step, &one->report, NULL);
    one->status = status < 0 ? status : one->status;
}

SnBenchTask sn_one_body_task(SnOneBody *one)
{
    return (SnBenchTask){put_back, move, one};
}

void sn_one_body_release(SnOneBody *one)
{
    if (one->model != NULL) {
        one->model->destroy(one->body);
    }
    sn_solid_destroy(one->solid);
    sn_free(NULL, one->kept);
    *one = (SnOneBody){0};
}
