// See gpu.py; what this computes stands in plain NumPy in objective.py.
//
// ROW float4 a stored row (numbers past the dimensions are 0), LANES lanes a row, KEPT float4 a lane.
#define SLOTS (32 / LANES)
#define EVERY for (int k = 0; k < KEPT; ++k)
#define HERE (k * LANES + part < ROW)
typedef long long Long;
__device__ void add(float4& a, float s, float4 b) { a.x += s * b.x; a.y += s * b.y; a.z += s * b.z; a.w += s * b.w; }

// into[row] = Σ value · dense[column] over a stretch of cells; `into` is `out`, or `partial` where a row is cut.
extern "C" __global__ void __launch_bounds__(THREADS) multiply(
    int stretches, const Long* first, const Long* last, const int* row, const int* slot_of, const int* column,
    const float* value, const float4* __restrict__ dense, float4* out, float4* partial, int adding)
{
    const int lane = threadIdx.x & 31, part = lane % LANES, slot = lane / LANES;
    const int number = (blockIdx.x * (Long)blockDim.x + threadIdx.x) / 32;
    if (number >= stretches) return;
    float4 total[KEPT];
    EVERY total[k] = make_float4(0, 0, 0, 0);
    for (Long cell = first[number]; cell < last[number]; cell += 32) {
        const int size = min((Long)32, last[number] - cell);
        const int mine = lane < size ? column[cell + lane] : 0;
        const float own = lane < size ? value[cell + lane] : 0;
        for (int begin = 0; begin < size; begin += SLOTS * 4) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int at = (begin + u * SLOTS + slot) & 31;
                const Long from = __shfl_sync(~0u, mine, at) * (Long)ROW + part;
                const float x = __shfl_sync(~0u, own, at);
                EVERY if (HERE) add(total[k], x, dense[from + k * LANES]);
            }
        }
    }
    EVERY for (int off = LANES; off < 32; off <<= 1) {
        total[k].x += __shfl_xor_sync(~0u, total[k].x, off);
        total[k].y += __shfl_xor_sync(~0u, total[k].y, off);
        total[k].z += __shfl_xor_sync(~0u, total[k].z, off);
        total[k].w += __shfl_xor_sync(~0u, total[k].w, off);
    }
    float4* into = slot_of[number] < 0 ? out + row[number] * (Long)ROW : partial + slot_of[number] * (Long)ROW;
    if (slot == 0) EVERY if (HERE) {
        if (adding && slot_of[number] < 0) add(total[k], 1, into[k * LANES + part]);
        into[k * LANES + part] = total[k];
    }
}

extern "C" __global__ void gather(
    int rows, const int* row, const int* first, const int* last, const float4* partial, float4* out, int adding)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x, number = at / ROW, k = at % ROW;
    if (number >= rows) return;
    float4 total = adding ? out[row[number] * (Long)ROW + k] : make_float4(0, 0, 0, 0);
    for (int slot = first[number]; slot < last[number]; ++slot) add(total, 1, partial[slot * (Long)ROW + k]);
    out[row[number] * (Long)ROW + k] = total;
}

// Links between consecutive pairs make a word's equations tridiagonal. The elimination is the same in every sweep.
extern "C" __global__ void eliminate(
    int words, const Long* word_start, const Long* link_start, const int* link_a, const float* tau, const Long* order,
    const float* weight, double beta, double* pivot, double* below, double* ones, double* scale)
{
    const int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= words) return;
    const Long first = word_start[word], last = word_start[word + 1];
    for (Long n = first; n < last; ++n) pivot[n] = weight[order[n]] + beta, below[n] = 0, ones[n] = 1;
    for (Long link = link_start[word]; link < link_start[word + 1]; ++link) {
        const Long a = first + link_a[link];
        pivot[a] += tau[link], pivot[a + 1] += tau[link], below[a + 1] = -tau[link];
    }
    for (Long n = first + 1; n < last; ++n) {
        const double factor = below[n] / pivot[n - 1];
        pivot[n] -= factor * below[n], ones[n] -= factor * ones[n - 1];
    }
    double total = 0;
    for (Long n = last - 1; n >= first; --n) {
        if (n + 1 < last) ones[n] -= below[n + 1] * ones[n + 1];
        ones[n] /= pivot[n], total += ones[n];
    }
    const double part = last > first ? beta / (last - first) : 0;
    scale[word] = part / (1 - part * total);
}

// One thread a word and number of the vector.
extern "C" __global__ void solve_chains(
    int words, const Long* word_start, const Long* order, const float* weight, const double* pivot, const double* below,
    const double* ones, const double* scale, const float* product, float* rows, double* gained)
{
    const Long at = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    const int word = at / (4 * ROW), k = at % (4 * ROW);
    if (word >= words) return;
    const Long first = word_start[word], last = word_start[word + 1];
    double x = 0, total = 0, won = 0;
    for (Long n = first; n < last; ++n) {
        const Long place = order[n] * (4 * ROW) + k;
        x = weight[order[n]] * (double)product[place] - (n > first ? below[n] / pivot[n - 1] * x : 0);
        rows[place] = x;
    }
    for (Long n = last - 1; n >= first; --n) {
        const Long place = order[n] * (4 * ROW) + k;
        x = (rows[place] - (n + 1 < last ? below[n + 1] * x : 0)) / pivot[n];
        rows[place] = x, total += x;
    }
    total *= scale[word];
    for (Long n = first; n < last; ++n) {
        const Long place = order[n] * (4 * ROW) + k;
        const float found = rows[place] + total * ones[n];
        rows[place] = found, won += weight[order[n]] * (double)found * product[place];
    }
    gained[at] = won;
}

__device__ double over_block(double x)
{
    __shared__ double parts[THREADS];
    __syncthreads();
    parts[threadIdx.x] = x;
    for (int off = THREADS / 2; off; off >>= 1) {
        __syncthreads();
        if (threadIdx.x < off) parts[threadIdx.x] += parts[threadIdx.x + off];
    }
    __syncthreads();
    return parts[0];
}

// Any links: conjugate gradients, a block a word; each thread keeps to its own numbers of the vectors.
extern "C" __global__ void solve_links(
    int from, const Long* word_start, const Long* link_start, const int* link_a, const int* link_b, const float* tau,
    const Long* order, const float* weight, double beta, const float* product, float* rows, double* work, Long room,
    int iterations, double tolerance, double* gained)
{
    const int word = from + blockIdx.x, D = 4 * ROW;
    const Long first = word_start[word], size = word_start[word + 1] - first, base = (first - word_start[from]) * D;
    const Long* pairs = order + first;
    double *solution = work + base, *residual = solution + room, *direction = residual + room;
    double* image = direction + room;
    double* diagonal = work + 4 * room + (first - word_start[from]);
    const Long begin = link_start[word], end = link_start[word + 1];
    #define COLUMNS for (int k = threadIdx.x; k < D; k += blockDim.x)
    #define MEMBERS for (Long n = 0; n < size; ++n)
    #define APPLY(x) COLUMNS { \
        double mean = 0; \
        MEMBERS mean += x[n * D + k]; \
        mean /= size; \
        MEMBERS image[n * D + k] = weight[pairs[n]] * x[n * D + k] + beta * (x[n * D + k] - mean); \
        for (Long link = begin; link < end; ++link) { \
            const Long a = link_a[link] * (Long)D + k, b = link_b[link] * (Long)D + k; \
            const double apart = tau[link] * (x[a] - x[b]); \
            image[a] += apart, image[b] -= apart; \
        } \
    }
    if (threadIdx.x == 0) {
        MEMBERS diagonal[n] = weight[pairs[n]] + beta * (1 - 1.0 / size);
        for (Long link = begin; link < end; ++link)
            diagonal[link_a[link]] += tau[link], diagonal[link_b[link]] += tau[link];
    }
    __syncthreads();
    double aim = 0, left = 0, before = 0;
    COLUMNS MEMBERS {
        const double x = weight[pairs[n]] * (double)product[pairs[n] * D + k];
        solution[n * D + k] = rows[pairs[n] * D + k], residual[n * D + k] = x, aim += x * x;
    }
    APPLY(solution)
    COLUMNS MEMBERS {
        const double r = residual[n * D + k] -= image[n * D + k];
        direction[n * D + k] = r / diagonal[n], before += r * r / diagonal[n], left += r * r;
    }
    aim = over_block(aim) * tolerance * tolerance, left = over_block(left), before = over_block(before);
    for (int iteration = 0; iteration < iterations && left > aim; ++iteration) {
        double curve = 0, after = 0;
        APPLY(direction)
        COLUMNS MEMBERS curve += direction[n * D + k] * image[n * D + k];
        const double step = before / over_block(curve);
        left = 0;
        COLUMNS MEMBERS {
            solution[n * D + k] += step * direction[n * D + k];
            const double r = residual[n * D + k] -= step * image[n * D + k];
            after += r * r / diagonal[n], left += r * r;
        }
        after = over_block(after), left = over_block(left);
        COLUMNS MEMBERS
            direction[n * D + k] = residual[n * D + k] / diagonal[n] + after / before * direction[n * D + k];
        before = after;
    }
    double won = 0;
    COLUMNS MEMBERS {
        const float found = solution[n * D + k];
        rows[pairs[n] * D + k] = found, won += weight[pairs[n]] * (double)found * product[pairs[n] * D + k];
    }
    won = over_block(won);
    if (threadIdx.x == 0) gained[word] = won;
}
