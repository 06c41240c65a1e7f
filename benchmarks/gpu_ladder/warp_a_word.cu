// Side after side, a warp a word, everything asked for ahead.

// Adds without waiting for what is there. Only one warp ever adds to a row, so the order is always the same.
__device__ void add_to(float4* to, float4 x) {
    float* at = (float*)to;
    atomicAdd(at, x.x), atomicAdd(at + 1, x.y), atomicAdd(at + 2, x.z), atomicAdd(at + 3, x.w);
}

// What belongs to one group: its pair, and its cells, one a lane.
struct Group { int size, pair, condition, other; float rest, trust; };

extern "C" __global__ void __launch_bounds__(THREADS) move_side(
    int words, const int* by_load, int* turns, const Long* word_start, const Long* group_start, const int* group_pair,
    const int* __restrict__ pair_condition, const int* __restrict__ context_pair, const float* __restrict__ target,
    const float* __restrict__ weight, Long first_cell, const float4* __restrict__ condition,
    const float4* __restrict__ other, const float* __restrict__ other_bias, const float* __restrict__ share,
    float rate, float4* base, float4* deviation, float* bias, float* base_sum, float* deviation_sum, float* bias_sum,
    float4* gradient, double* squared)
{
    const int lane = threadIdx.x & 31, part = lane % LANES, slot = lane / LANES;
    const float4 zero = make_float4(0, 0, 0, 0);
    float4 x[AT_ONCE][KEPT];  // vectors of the other side, one a slot
    auto ask = [&](const Group& of, int first) {
        #pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) {
            const int number = first + u * SLOTS + slot;
            const int row = __shfl_sync(~0u, of.other, number & 31);
            EVERY x[u][k] = number < of.size && HERE ? __ldcg(&AT(other, row)) : zero;
        }
    };
    for (;;) {
        // The longest words are taken first, so that none is left for the end.
        int turn = 0;
        if (lane == 0) turn = atomicAdd(turns, 1);
        turn = __shfl_sync(~0u, turn, 0);
        if (turn >= words) return;
        const int i = by_load[turn];
        Long group = word_start[i];
        const Long last = word_start[i + 1];
        double met = 0;
        if (group < last) {
            float4 v[KEPT], d[KEPT];
            EVERY v[k] = HERE ? AT(base, i) : zero;
            float sum = base_sum[i];

            // A word's groups follow each other, so what is in memory is asked for ahead: where a group's cells are, two
            // groups before (`group_start` and `group_pair` are longer by two for that); its cells and its pair, one
            // before; the vectors that face it, as soon as those of the group before have been used.
            Long end = group_start[group + 1], next_end = group_start[group + 2];
            int next_pair = group_pair[group + 1];
            Group now;
            now.size = end - group_start[group], now.pair = group_pair[group];
            now.condition = pair_condition[now.pair];
            const Long cell = end - now.size + lane - first_cell;
            const bool mine = lane < now.size;
            now.other = mine ? context_pair[cell] : 0, now.trust = mine ? weight[cell] : 0;
            now.rest = mine ? other_bias[now.other] - target[cell] : 0;
            float own_bias = bias[now.pair], dsum = deviation_sum[now.pair], bsum = bias_sum[now.pair];
            EVERY d[k] = HERE ? AT(deviation, now.pair) : zero;
            ask(now, 0);
            for (; group < last; ++group) {
                const bool more = group + 1 < last;
                const Long after_end = group_start[group + 3];
                const int after_pair = group_pair[group + 2];
                Group next;
                next.size = more ? next_end - end : 0, next.pair = next_pair;
                next.condition = pair_condition[next_pair];
                const Long next_cell = end + lane - first_cell;
                const bool ahead = lane < next.size;
                next.other = ahead ? context_pair[next_cell] : 0, next.trust = ahead ? weight[next_cell] : 0;
                const float next_aim = ahead ? target[next_cell] : 0, own_share = share[now.pair];
                float next_bias = bias[next_pair], next_dsum = deviation_sum[next_pair];
                float next_bsum = bias_sum[next_pair];
                float4 q[KEPT], vector[KEPT], by[KEPT], next_d[KEPT];
                EVERY q[k] = HERE ? AT(condition, now.condition) : zero;
                EVERY next_d[k] = HERE ? AT(deviation, next_pair) : zero;
                EVERY by[k] = zero;
                EVERY vector[k] = v[k] * q[k] + d[k];

                float by_bias = 0, met_here = 0;
                for (int first = 0; first < now.size; first += SLOTS * AT_ONCE) {
                    if (first) ask(now, first);
                    #pragma unroll
                    for (int u = 0; u < AT_ONCE; ++u) {
                        // Past the end of a group the weight is 0; a group never holds more than 32 cells.
                        const int number = (first + u * SLOTS + slot) & 31;
                        float error = 0;
                        EVERY error += dot(vector[k], x[u][k]);
                        error = over_lanes(error) + own_bias + __shfl_sync(~0u, now.rest, number);
                        const float w = __shfl_sync(~0u, now.trust, number), slope = 2 * w * error;
                        met_here += w * error * error;
                        by_bias += slope;
                        EVERY by[k] = by[k] + slope * x[u][k];
                    }
                }
                next.rest = ahead ? other_bias[next.other] - next_aim : 0;
                ask(next, 0);

                met += met_here;
                by_bias = over_slots(by_bias);
                float by_base_square = 0, by_square = 0;
                EVERY {
                    by[k] = over_slots(by[k]);
                    by_base_square += dot(by[k] * q[k], by[k] * q[k]);
                    by_square += dot(by[k], by[k]);
                }
                sum += over_lanes(by_base_square) / DIMENSIONS;
                dsum += over_lanes(by_square) / DIMENSIONS;
                bsum += by_bias * by_bias;
                const float base_step = rate * rsqrtf(sum), step = rate * rsqrtf(dsum);
                const float shrink = 1 / (1 + step * own_share * now.size);
                own_bias -= rate * rsqrtf(bsum) * by_bias;
                EVERY {
                    d[k] = shrink * (d[k] - step * by[k]);
                    if (slot == 0 && HERE) {
                        AT(deviation, now.pair) = d[k];
                        add_to(&AT(gradient, now.pair), by[k] * v[k]);
                    }
                    v[k] = v[k] - base_step * (by[k] * q[k]);
                }
                if (lane == 0) {
                    bias[now.pair] = own_bias;
                    deviation_sum[now.pair] = dsum;
                    bias_sum[now.pair] = bsum;
                }
                __syncwarp();
                // What was asked for before this step is old where the next group is of the same pair.
                if (next.pair != now.pair) {
                    EVERY d[k] = next_d[k];
                    own_bias = next_bias, dsum = next_dsum, bsum = next_bsum;
                }
                now = next, end = next_end, next_end = after_end, next_pair = after_pair;
            }
            if (slot == 0) EVERY if (HERE) AT(base, i) = v[k];
            if (lane == 0) base_sum[i] = sum;
            // Every lane of a slot holds the slot's sum.
            for (int off = LANES; off < 32; off <<= 1) met += __shfl_xor_sync(~0u, met, off);
        }
        if (lane == 0) squared[i] = met;
    }
}
