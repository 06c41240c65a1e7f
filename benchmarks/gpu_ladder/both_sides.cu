// Both sides move at every cell: a warp takes a group of cells of one (word, condition), in random order,
// keeps the word's side in registers, and adds to the context's side with atomic additions. With groups of one cell this
// is plain stochastic gradient descent.
__device__ void add_to(float4* to, float4 x) {
#if __CUDA_ARCH__ >= 900
    atomicAdd(to, x);
#else
    float* at = (float*)to;
    atomicAdd(at, x.x), atomicAdd(at + 1, x.y), atomicAdd(at + 2, x.z), atomicAdd(at + 3, x.w);
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS) visit(
    Long groups, const Long* random_order, const Long* group_start, const int* group_pair, const int* pair_word,
    const int* pair_condition, const int* context_pair, const float* target, const float* weight,
    const float4* condition, const float* share, float rate,
    float4* word, float4* word_deviation, float* word_bias, float* word_sum, float* word_deviation_sum,
    float* word_bias_sum, float4* context, float4* context_deviation, float* context_bias, float* context_sum,
    float* context_deviation_sum, float* context_bias_sum, float4* gradient, double* squared)
{
    const int lane = threadIdx.x & 31, part = lane % LANES, slot = lane / LANES;
    const float4 zero = make_float4(0, 0, 0, 0);
    double met = 0;
    const Long warps = (Long)gridDim.x * blockDim.x / 32;
    for (Long at = ((Long)blockIdx.x * blockDim.x + threadIdx.x) / 32; at < groups; at += warps) {
        const Long group = random_order[at], begin = group_start[group];
        const int size = group_start[group + 1] - begin, pair = group_pair[group];
        const int i = pair_word[pair], c = pair_condition[pair];
        const int mine = lane < size ? context_pair[begin + lane] : 0;
        const float aim = lane < size ? target[begin + lane] : 0, trust = lane < size ? weight[begin + lane] : 0;
        float4 v[KEPT], q[KEPT], d[KEPT], vector[KEPT], by[KEPT], by_condition[KEPT];
        float square = 0, step_square = 0, by_bias = 0;
        EVERY {
            v[k] = HERE ? AT(word, i) : zero, q[k] = HERE ? AT(condition, c) : zero;
            d[k] = HERE ? AT(word_deviation, pair) : zero, vector[k] = v[k] * q[k] + d[k];
            by[k] = by_condition[k] = zero;
            square += dot(vector[k], vector[k]), step_square += dot(vector[k] * q[k], vector[k] * q[k]);
        }
        square = over_lanes(square) / DIMENSIONS, step_square = over_lanes(step_square) / DIMENSIONS;
        for (int first = 0; first < size; first += SLOTS) {
            const int number = first + slot;
            const bool there = number < size;
            const int other = __shfl_sync(~0u, mine, number & 31), j = pair_word[other];
            const float w = __shfl_sync(~0u, trust, number & 31), goal = __shfl_sync(~0u, aim, number & 31);
            float4 u[KEPT], e[KEPT];
            float error = 0;
            EVERY u[k] = there && HERE ? AT(context, j) : zero;
            EVERY e[k] = there && HERE ? AT(context_deviation, other) : zero;
            EVERY error += dot(vector[k], u[k] * q[k] + e[k]);
            error = over_lanes(error) + word_bias[pair] + context_bias[other] - goal;
            const float slope = there ? 2 * w * error : 0;
            if (part == 0) met += there ? w * error * error : 0;
            float a = 0, b = 0, f = 0;
            if (part == 0 && there) {
                const float s = slope * slope;
                a = atomicAdd(context_sum + j, s * step_square) + s * step_square;
                b = atomicAdd(context_deviation_sum + other, s * square) + s * square;
                f = atomicAdd(context_bias_sum + other, s) + s;
                atomicAdd(context_bias + other, -rate * rsqrtf(f) * slope);
            }
            a = __shfl_sync(~0u, a, slot * LANES), b = __shfl_sync(~0u, b, slot * LANES);
            const float step = rate * rsqrtf(b), shrink = 1 / (1 + step * share[other]);
            by_bias += slope;
            EVERY {
                by[k] = by[k] + slope * (u[k] * q[k] + e[k]);
                by_condition[k] = by_condition[k] + slope * u[k];
                if (there && HERE) {
                    add_to(&AT(context, j), (-rate * rsqrtf(a) * slope) * (vector[k] * q[k]));
                    add_to(&AT(context_deviation, other), shrink * (e[k] - (step * slope) * vector[k]) - e[k]);
                }
            }
        }
        by_bias = over_slots(by_bias);
        float by_base_square = 0, by_square = 0;
        EVERY {
            by[k] = over_slots(by[k]), by_condition[k] = over_slots(by_condition[k]);
            by_base_square += dot(by[k] * q[k], by[k] * q[k]), by_square += dot(by[k], by[k]);
        }
        by_base_square = over_lanes(by_base_square) / DIMENSIONS, by_square = over_lanes(by_square) / DIMENSIONS;
        float a = 0, b = 0;
        if (lane == 0) {
            a = atomicAdd(word_sum + i, by_base_square) + by_base_square;
            b = atomicAdd(word_deviation_sum + pair, by_square) + by_square;
            const float f = atomicAdd(word_bias_sum + pair, by_bias * by_bias) + by_bias * by_bias;
            atomicAdd(word_bias + pair, -rate * rsqrtf(f) * by_bias);
        }
        a = __shfl_sync(~0u, a, 0), b = __shfl_sync(~0u, b, 0);
        const float step = rate * rsqrtf(b), shrink = 1 / (1 + step * share[pair] * size);
        if (slot == 0) EVERY if (HERE) {
            add_to(&AT(gradient, pair), by[k] * v[k] + by_condition[k] * vector[k]);
            add_to(&AT(word, i), (-rate * rsqrtf(a)) * (by[k] * q[k]));
            add_to(&AT(word_deviation, pair), shrink * (d[k] - step * by[k]) - d[k]);
        }
    }
    for (int off = 16; off; off >>= 1) met += __shfl_xor_sync(~0u, met, off);
    if (lane == 0) atomicAdd(squared, met);
}
