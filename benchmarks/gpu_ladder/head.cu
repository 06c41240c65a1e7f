// What all versions share. DIMENSIONS numbers a vector, ROW float4 a stored row (the rest is 0), LANES lanes a cell,
// KEPT float4 a lane.
#define SLOTS (32 / LANES)
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
