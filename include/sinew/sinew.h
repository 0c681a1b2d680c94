// All of Sinew's public headers.
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/base.h"
#include "sinew/geometry.h"
#include "sinew/model.h"
#include "sinew/rotation.h"
#include "sinew/scene.h"
#include "sinew/solve.h"
#include "sinew/world.h"

#endif
