// The state of a body as bytes.
#include "model/newton/body.h"

#include <string.h>

size_t sn_newton_state_count(const SnNewton *body)
{
    return 6 * sn_newton_dofs(body) + SN_CLOCK_COUNT;
}

static size_t pin_count(const SnNewton *body)
{
    return (size_t)body->pins.set.count * SN_PIN_STATE;
}

size_t sn_newton_state_size(const void *body_)
{
    const SnNewton *body = body_;
    return (sn_newton_state_count(body) + pin_count(body)) * sizeof(double);
}

void sn_newton_save(const void *body_, void *bytes)
{
    const SnNewton *body = body_;
    size_t size = sn_newton_state_count(body) * sizeof(double);
    memcpy(bytes, body->state_block, size);
    memcpy((char *)bytes + size, body->state.pins, pin_count(body) * sizeof(double));
}

void sn_newton_restore(void *body_, const void *bytes)
{
    SnNewton *body = body_;
    size_t size = sn_newton_state_count(body) * sizeof(double);
    memcpy(body->state_block, bytes, size);
    memcpy(body->state.pins, (const char *)bytes + size, pin_count(body) * sizeof(double));
}
