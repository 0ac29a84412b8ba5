// == arithmetic
print(7n / 2n, -7n / 2n, -7n % 3n, 2n ** 64n, 5n - 9n, 0n === -0n, -(-3n), 10n * 10n);
// == comparison with numbers
print(1n < 2, 2n == 2, 2n === 2, 1n + BigInt(2), typeof 1n, 0n ? 't' : 'f', [3n, 1, 2n].sort().join());
// == mixing throws
fails(() => 1n + 1); fails(() => +1n); fails(() => Math.max(1n)); fails(() => 1n >>> 0n);
// == conversions
print(BigInt('0xff'), BigInt('  12 '), Number(12345678901234567890n), parseInt('12n'), BigInt(true), String(5n), `${6n}`, BigInt(''));
fails(() => BigInt(1.5)); fails(() => BigInt('1.5')); fails(() => BigInt(undefined)); fails(() => BigInt('x'));
// == text with a radix and grouping
print((255n).toString(16), (255n).toString(2), 123456789n.toLocaleString(), (-1234567n).toLocaleString('en-US'));
// == wrapping to a width
print(BigInt.asUintN(8, 257n), BigInt.asIntN(8, 255n), BigInt.asUintN(64, -1n), BigInt.asIntN(64, 2n ** 63n));
// == bit operations
print(5n & 3n, 5n | 3n, 5n ^ 3n, ~5n, 1n << 70n, -5n >> 1n);
// == JSON refuses them
fails(() => JSON.stringify({ a: 1n })); print(JSON.stringify({ a: 1n }, (k, v) => typeof v === 'bigint' ? String(v) : v));
// == division by zero
fails(() => 1n / 0n); fails(() => 1n % 0n); fails(() => 2n ** -1n);
// == typed arrays of them
const a = new BigInt64Array([1n, -1n]); a[0] += 5n; print(a, new BigUint64Array(a.buffer)[1]); fails(() => { a[0] = 1 });
// == keys and sets
print(new Set([1n, 1n, 1]).size, { [1n]: 'k' }, Object(1n) == 1n, typeof Object(1n), [1n, 2n].includes(2n), [1n].indexOf(1));
