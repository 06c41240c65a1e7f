// See gpu.py; what this computes stands in plain NumPy in sides.py.
//
// DIMENSIONS numbers a vector, ROW float4 a stored row (the rest is 0), LANES lanes a cell, KEPT float4 a lane.
// A block of WARPS warps takes a word. A group holds at most 32 cells: CELLS a warp, read in ROUNDS, one a slot.
#define SLOTS (32 / LANES)
#define CELLS (32 / WARPS)
#define ROUNDS ((CELLS + SLOTS - 1) / SLOTS)
#define EVERY for (int k = 0; k < KEPT; ++k)
#define HERE (k * LANES + part < ROW)
#define AT(array, row) array[(long long)(row) * ROW + k * LANES + part]

typedef long long Long;
__device__ float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__device__ float4 operator*(float s, float4 a) { return make_float4(s * a.x, s * a.y, s * a.z, s * a.w); }
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ float over_lanes(float x) {
    for (int off = 1; off < LANES; off <<= 1) x += __shfl_xor_sync(~0u, x, off);
    return x;
}
__device__ float over_slots(float x) {
    for (int off = LANES; off < 32; off <<= 1) x += __shfl_xor_sync(~0u, x, off);
    return x;
}
__device__ float4 over_slots(float4 a) {
    return make_float4(over_slots(a.x), over_slots(a.y), over_slots(a.z), over_slots(a.w));
}

// Adds without waiting for what is there. Only one warp ever adds to a row, so the order is always the same.
__device__ void add_to(float4* to, float4 x) {
    float* at = (float*)to;
    atomicAdd(at, x.x), atomicAdd(at + 1, x.y), atomicAdd(at + 2, x.z), atomicAdd(at + 3, x.w);
}

// base ⊙ condition + deviation, for every pair
extern "C" __global__ void combine(
    Long size, const int* pair_word, const int* pair_condition, const float4* base, const float4* condition,
    const float4* deviation, float4* out)
{
    for (Long at = blockIdx.x * (Long)blockDim.x + threadIdx.x; at < size; at += (Long)gridDim.x * blockDim.x) {
        const int pair = at / ROW, k = at % ROW;
        out[at] = base[(Long)pair_word[pair] * ROW + k] * condition[(Long)pair_condition[pair] * ROW + k]
                + deviation[at];
    }
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

        // A word's groups follow each other, so what is in memory is asked for ahead: where the cells of a group are,
        // three groups before (`group_start` and `group_pair` are longer by three for that); the cells, two before; the
        // vectors and all that belongs to the pair, one before.
        Long begin = group_start[group], end = group_start[group + 1], next_end = group_start[group + 2];
        int pair = group_pair[group], next_pair = group_pair[group + 1], size = 0, facing, c = pair_condition[pair];
        float trust, aim, facing_bias, goal, trust_now = 0, own_bias, dsum, bsum, own_share;
        auto ask_cells = [&](Long from, Long to) {
            const bool mine = lane < CELLS && from + number < to;
            const Long cell = from + number - first_cell;
            facing = mine ? context_pair[cell] : -1, aim = mine ? target[cell] : 0, trust = mine ? weight[cell] : 0;
        };
        auto ask_vectors = [&](bool new_pair) {
            size = end - begin;
            facing_bias = facing < 0 ? 0 : other_bias[facing], goal = aim, trust_now = trust;
            #pragma unroll
            for (int u = 0; u < ROUNDS; ++u) {
                const int row = __shfl_sync(~0u, facing, u * SLOTS + slot);
                EVERY x[u][k] = row >= 0 && HERE ? __ldcg(&AT(other, row)) : zero;
            }
            if (new_pair) {
                EVERY q[k] = HERE ? AT(condition, c) : zero;
                EVERY d[k] = HERE ? AT(deviation, pair) : zero;
                own_bias = bias[pair], dsum = deviation_sum[pair], bsum = bias_sum[pair], own_share = share[pair];
            }
        };
        if (group < last) {
            ask_cells(begin, end);
            ask_vectors(true);
            ask_cells(end, group + 1 < last ? next_end : end);
            c = pair_condition[next_pair];
        }
        for (; group < last; ++group) {
            const Long after_end = group_start[group + 3];
            const int after_pair = group_pair[group + 2];
            float4 vector[KEPT], by[KEPT];
            EVERY vector[k] = v[k] * q[k] + d[k];
            EVERY by[k] = zero;
            float by_bias = 0, met_here = 0;
            const float rest = own_bias + facing_bias - goal;
            #pragma unroll
            for (int u = 0; u < ROUNDS; ++u) {
                float error = 0;
                EVERY error += dot(vector[k], x[u][k]);
                error = over_lanes(error) + __shfl_sync(~0u, rest, u * SLOTS + slot);
                const float w = __shfl_sync(~0u, trust_now, u * SLOTS + slot), slope = 2 * w * error;
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
            if (group + 1 < last) ask_vectors(pair != now);
            ask_cells(end, group + 2 < last ? next_end : end);
            c = pair_condition[next_pair];

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

// The rows of each condition, summed in a fixed order: block (c, s) takes every splits-th row.
extern "C" __global__ void sum_rows(const Long* start, int splits, const float* gradient, float* out)
{
    const int c = blockIdx.x / splits, s = blockIdx.x % splits;
    for (int k = threadIdx.x; k < 4 * ROW; k += blockDim.x) {
        float total = 0;
        for (Long pair = start[c] + s; pair < start[c + 1]; pair += splits) total += gradient[pair * 4 * ROW + k];
        out[(Long)blockIdx.x * 4 * ROW + k] = total;
    }
}
