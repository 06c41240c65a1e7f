// Side after side, a warp a word, nothing asked for ahead but cells.

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
            float4 v[KEPT];
            EVERY v[k] = HERE ? AT(base, i) : zero;
            float sum = base_sum[i];

            // Cells are asked for one group ahead, their places two: `group_start` is longer by two for that.
            Long end = group_start[group + 1], next_end = group_start[group + 2];
            int size = end - group_start[group], pair = group_pair[group], next_pair = group_pair[group + 1];
            Long cell = end - size + lane - first_cell;
            int mine = lane < size ? context_pair[cell] : 0;
            float aim = lane < size ? target[cell] : 0, trust = lane < size ? weight[cell] : 0;
            for (; group < last; ++group) {
                const int next_size = next_end - end;
                const Long after_end = group_start[group + 3];
                const int after_pair = group_pair[group + 2];
                const bool ahead = lane < next_size && group + 1 < last;
                const Long next_cell = end + lane - first_cell;
                const int next_mine = ahead ? context_pair[next_cell] : 0;
                const float next_aim = ahead ? target[next_cell] : 0, next_trust = ahead ? weight[next_cell] : 0;

                const int c = pair_condition[pair];
                float4 q[KEPT], d[KEPT], vector[KEPT], by[KEPT];
                EVERY q[k] = HERE ? AT(condition, c) : zero;
                EVERY d[k] = HERE ? AT(deviation, pair) : zero;
                EVERY by[k] = zero;
                const float own_bias = bias[pair], own_share = share[pair];
                const float dsum = deviation_sum[pair], bsum = bias_sum[pair];
                float rest = lane < size ? other_bias[mine] - aim : 0, by_bias = 0;
                EVERY vector[k] = v[k] * q[k] + d[k];

                for (int first = 0; first < size; first += SLOTS * AT_ONCE) {
                    float4 x[AT_ONCE][KEPT];
                    #pragma unroll
                    for (int u = 0; u < AT_ONCE; ++u) {
                        const int number = first + u * SLOTS + slot;
                        const int row = __shfl_sync(~0u, mine, number & 31);
                        EVERY x[u][k] = number < size && HERE ? AT(other, row) : zero;
                    }
                    #pragma unroll
                    for (int u = 0; u < AT_ONCE; ++u) {
                        const int number = (first + u * SLOTS + slot) & 31;
                        float error = 0;
                        EVERY error += dot(vector[k], x[u][k]);
                        error = over_lanes(error) + own_bias + __shfl_sync(~0u, rest, number);
                        // Past the end of a group the weight is 0; a group never holds more than 32 cells.
                        const float w = __shfl_sync(~0u, trust, number);
                        const float slope = 2 * w * error;
                        met += w * error * error;
                        by_bias += slope;
                        EVERY by[k] = by[k] + slope * x[u][k];
                    }
                }

                by_bias = over_slots(by_bias);
                float by_base_square = 0, by_square = 0;
                EVERY {
                    by[k] = over_slots(by[k]);
                    by_base_square += dot(by[k] * q[k], by[k] * q[k]);
                    by_square += dot(by[k], by[k]);
                }
                sum += over_lanes(by_base_square) / DIMENSIONS;
                const float new_dsum = dsum + over_lanes(by_square) / DIMENSIONS;
                const float new_bsum = bsum + by_bias * by_bias;
                const float base_step = rate * rsqrtf(sum), step = rate * rsqrtf(new_dsum);
                const float shrink = 1 / (1 + step * own_share * size);
                EVERY {
                    if (slot == 0 && HERE) {
                        AT(gradient, pair) = AT(gradient, pair) + by[k] * v[k];
                        AT(deviation, pair) = shrink * (d[k] - step * by[k]);
                    }
                    v[k] = v[k] - base_step * (by[k] * q[k]);
                }
                if (lane == 0) {
                    bias[pair] = own_bias - rate * rsqrtf(new_bsum) * by_bias;
                    deviation_sum[pair] = new_dsum;
                    bias_sum[pair] = new_bsum;
                }
                __syncwarp();
                size = next_size, end = next_end, next_end = after_end, pair = next_pair, next_pair = after_pair;
                mine = next_mine, aim = next_aim, trust = next_trust;
            }
            if (slot == 0) EVERY if (HERE) AT(base, i) = v[k];
            if (lane == 0) base_sum[i] = sum;
            // Every lane of a slot holds the slot's sum.
            for (int off = LANES; off < 32; off <<= 1) met += __shfl_xor_sync(~0u, met, off);
        }
        if (lane == 0) squared[i] = met;
    }
}
