#pragma once
#include "../collectives.h"
namespace hipcub = waves_cub;
