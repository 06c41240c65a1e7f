// Side after side, a block a word, cells and vectors asked for one group ahead.
// A block of WARPS warps takes a word. A group holds at most 32 cells: CELLS a warp, read in ROUNDS, one a slot.
#define CELLS (32 / WARPS)
#define ROUNDS ((CELLS + SLOTS - 1) / SLOTS)

// Adds without waiting for what is there. Only one warp ever adds to a row, so the order is always the same.
__device__ void add_to(float4* to, float4 x) {
    float* at = (float*)to;
    atomicAdd(at, x.x), atomicAdd(at + 1, x.y), atomicAdd(at + 2, x.z), atomicAdd(at + 3, x.w);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS) move_side(
    int words, const int* by_load, int* turns, const Long* word_start, const Long* group_start, const int* group_pair,
    const int* __restrict__ pair_condition, const int* __restrict__ context_pair, const float* __restrict__ target,
    const float* __restrict__ weight, Long first_cell, const float4* __restrict__ condition,
    const float4* __restrict__ other, const float* __restrict__ other_bias, const float* __restrict__ share,
    float rate, float4* base, float4* deviation, float* bias, float* base_sum, float* deviation_sum, float* bias_sum,
    float4* gradient, double* squared)
{
    __shared__ float4 sums[2][WARPS][ROW];
    __shared__ float bias_sums[2][WARPS];
    __shared__ double mets[WARPS];
    __shared__ int turn;
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, part = lane % LANES, slot = lane / LANES;
    const int number = lane * WARPS + warp;  // which cell of a group a lane knows, if lane < CELLS
    const float4 zero = make_float4(0, 0, 0, 0);
    for (;;) {
        // The longest words are taken first, so that none is left for the end.
        if (threadIdx.x == 0) turn = atomicAdd(turns, 1);
        __syncthreads();
        const int i = turn < words ? by_load[turn] : -1;
        __syncthreads();
        if (i < 0) return;
        Long group = word_start[i];
        const Long last = word_start[i + 1];
        double met = 0;
        float4 v[KEPT], q[KEPT], d[KEPT], x[ROUNDS][KEPT];
        EVERY v[k] = HERE ? AT(base, i) : zero;
        float sum = base_sum[i];

        // A word's groups follow each other, so what is in memory is asked for ahead: where the cells are, two groups
        // before (`group_start` and `group_pair` are longer by two for that), all else one group before.
        Long begin = group_start[group], end = group_start[group + 1], next_end = group_start[group + 2];
        int pair = group_pair[group], next_pair = group_pair[group + 1], size = 0;
        float rest, trust, own_bias, dsum, bsum, own_share;
        auto ask = [&](bool new_pair) {
            size = end - begin;
            const bool mine = lane < CELLS && number < size;
            const Long cell = begin + number - first_cell;
            const int facing = mine ? context_pair[cell] : 0;
            trust = mine ? weight[cell] : 0, rest = mine ? other_bias[facing] - target[cell] : 0;
            #pragma unroll
            for (int u = 0; u < ROUNDS; ++u) {
                const int row = __shfl_sync(~0u, facing, u * SLOTS + slot);
                const bool there = (u * SLOTS + slot) * WARPS + warp < size;
                EVERY x[u][k] = there && HERE ? __ldcg(&AT(other, row)) : zero;
            }
            if (new_pair) {
                const int c = pair_condition[pair];
                EVERY q[k] = HERE ? AT(condition, c) : zero;
                EVERY d[k] = HERE ? AT(deviation, pair) : zero;
                own_bias = bias[pair], dsum = deviation_sum[pair], bsum = bias_sum[pair], own_share = share[pair];
            }
        };
        if (group < last) ask(true);
        for (; group < last; ++group) {
            const Long after_end = group_start[group + 3];
            const int after_pair = group_pair[group + 2];
            float4 vector[KEPT], by[KEPT];
            EVERY vector[k] = v[k] * q[k] + d[k];
            EVERY by[k] = zero;
            float by_bias = 0, met_here = 0;
            #pragma unroll
            for (int u = 0; u < ROUNDS; ++u) {
                float error = 0;
                EVERY error += dot(vector[k], x[u][k]);
                error = over_lanes(error) + own_bias + __shfl_sync(~0u, rest, u * SLOTS + slot);
                const float w = __shfl_sync(~0u, trust, u * SLOTS + slot), slope = 2 * w * error;
                met_here += w * error * error;
                by_bias += slope;
                EVERY by[k] = by[k] + slope * x[u][k];
            }
            met += met_here;
            EVERY by[k] = over_slots(by[k]);
            by_bias = over_slots(by_bias);
            const int turn_of = group & 1;  // the sums of a group are read while those of the next are written
            if (slot == 0) EVERY if (HERE) sums[turn_of][warp][k * LANES + part] = by[k];
            if (lane == 0) bias_sums[turn_of][warp] = by_bias;
            __syncthreads();

            // From here every warp does the same, in the same order.
            const int now = pair, cells = size;
            float4 old_q[KEPT], old_d[KEPT];
            EVERY old_q[k] = q[k], old_d[k] = d[k];
            float now_bias = own_bias, now_dsum = dsum, now_bsum = bsum;
            const float now_share = own_share;
            begin = end, end = next_end, next_end = after_end, pair = next_pair, next_pair = after_pair;
            if (group + 1 < last) ask(pair != now);

            by_bias = 0;
            EVERY by[k] = zero;
            #pragma unroll
            for (int from = 0; from < WARPS; ++from) {
                EVERY if (HERE) by[k] = by[k] + sums[turn_of][from][k * LANES + part];
                by_bias += bias_sums[turn_of][from];
            }
            float by_base_square = 0, by_square = 0;
            EVERY by_base_square += dot(by[k] * old_q[k], by[k] * old_q[k]);
            EVERY by_square += dot(by[k], by[k]);
            sum += over_lanes(by_base_square) / DIMENSIONS;
            now_dsum += over_lanes(by_square) / DIMENSIONS;
            now_bsum += by_bias * by_bias;
            const float base_step = rate * rsqrtf(sum), step = rate * rsqrtf(now_dsum);
            const float shrink = 1 / (1 + step * now_share * cells);
            now_bias -= rate * rsqrtf(now_bsum) * by_bias;
            EVERY {
                old_d[k] = shrink * (old_d[k] - step * by[k]);
                if (HERE && slot == 0 && warp == 0) AT(deviation, now) = old_d[k];
                if (HERE && slot == 0 && warp == 1) add_to(&AT(gradient, now), by[k] * v[k]);
                v[k] = v[k] - base_step * (by[k] * old_q[k]);
            }
            if (lane == 0 && warp == 2) bias[now] = now_bias, deviation_sum[now] = now_dsum, bias_sum[now] = now_bsum;
            if (pair == now) {
                EVERY d[k] = old_d[k];
                own_bias = now_bias, dsum = now_dsum, bsum = now_bsum;
            }
        }
        if (warp == 0 && slot == 0) EVERY if (HERE) AT(base, i) = v[k];
        // Every lane of a slot holds the slot's sum.
        for (int off = LANES; off < 32; off <<= 1) met += __shfl_xor_sync(~0u, met, off);
        if (lane == 0) mets[warp] = met;
        __syncthreads();
        if (threadIdx.x == 0) {
            double total = 0;
            for (int from = 0; from < WARPS; ++from) total += mets[from];
            squared[i] = total;
            base_sum[i] = sum;
        }
    }
}
