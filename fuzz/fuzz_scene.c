// Fuzzes the reader of scenes: any bytes give a scene that is whole or a sentence. After a zero
// byte come overrides, a line each, path=value.
#include "scene/scene.h"

#include <math.h>
#include <string.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

enum { OVERRIDES_MAX = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Cuts "path=value" lines in place.
static int cut_overrides(char *text, SinewOverride *overrides)
{
    int count = 0;
    while (count < OVERRIDES_MAX && *text != '\0') {
        char *end = text + strcspn(text, "\n");
        bool more = *end != '\0';
        *end = '\0';
        char *equal = strchr(text, '=');
        if (equal != NULL) {
            *equal = '\0';
            overrides[count++] = (SinewOverride){text, equal + 1};
        }
        text = end + more;
    }
    return count;
}

static void expect_scene(const SinewScene *scene)
{
    const SnSceneContent *content = &scene->content;
    uint64_t hash = 0;
    SinewError error;
    SinewSceneSettings settings = sinew_scene_settings(scene);
    EXPECT(content->body_count > 0 && settings.dt > 0 && settings.steps > 0);
    for (int b = 0; b < content->body_count; ++b) {
        const SnSceneBody *body = &content->bodies[b];
        EXPECT(body->name != NULL && body->name[0] != '\0');
        EXPECT(body->material.young > 0 && isfinite(body->material.young));
        EXPECT(body->material.poisson < 0.5 && body->shape.kind > 0);
        EXPECT((body->shape.kind >= SN_SCENE_SURFACE) == (body->shape.file != NULL));
        for (int r = 0; r < body->region_count; ++r) {
            EXPECT(body->regions[r].within.kind != SINEW_REGION_NONE);
            EXPECT(body->regions[r].material.young > 0);
        }
    }
    for (int p = 0; p < content->probe_count; ++p) {
        const SnSceneProbe *probe = &content->probes[p];
        EXPECT(probe->body_index >= 0 && probe->body_index < content->body_count);
        EXPECT(probe->pin < content->bodies[probe->body_index].pin_count);
    }
    if (scene->file_count == 0) {
        EXPECT(sinew_scene_hash(scene, &hash, &error) == SINEW_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SinewOverride overrides[OVERRIDES_MAX];
    SinewScene *scene = NULL;
    SinewError error = {.text = ""};
    char *copy = sn_alloc(NULL, size + 1, 1);
    EXPECT(copy != NULL);
    memcpy(copy, data, size);
    copy[size] = '\0';
    size_t length = strlen(copy);
    int count = length < size ? cut_overrides(copy + length + 1, overrides) : 0;
    SinewStatus status =
        sinew_scene_parse(copy, length, "input", NULL, overrides, count, NULL, &scene, &error);
    EXPECT((status == SINEW_OK) == (scene != NULL));
    if (scene != NULL) {
        expect_scene(scene);
    } else {
        EXPECT(status == SINEW_ERROR_FILE || status == SINEW_ERROR_ARGUMENT);
        EXPECT(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    }
    sinew_scene_destroy(scene);
    sn_free(NULL, copy);
    return 0;
}
