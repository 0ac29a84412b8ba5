// == fixed, precise and exponential forms
print((1.005).toFixed(2), (1e21).toFixed(2), (-1.5).toFixed(0), (0.000001234).toPrecision(2), (123456).toPrecision(2), (1234.5678).toExponential(2), (0).toExponential(), (2.345).toFixed(2), (1.45).toFixed(1), (-0).toFixed(1), NaN.toFixed(2));
// == text of numbers
print(1e21, 1e-7, 123456789012345680000, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, -1e-7, 100, 1 / 3, 4.35 * 100, 1.1 + 2.2);
// == radix
print((255).toString(16), (0.5).toString(2), (-255).toString(36), (1e21).toString(36), (0.1).toString(3), parseInt('ff', 16), parseInt('0x1f'), parseInt('12px'), parseInt(''), parseInt('101', 2), parseInt('9', 8), parseInt(0.0000005));
// == parsing
print(Number(' 12 '), Number(''), Number('0b11'), Number('1e3'), Number('1_000'), Number(null), Number(undefined), Number([5]), Number([1, 2]), Number('Infinity'), Number('-0'), parseFloat('3.14abc'), parseFloat('.5.5'), parseFloat('-.5e-2x'), Number(new Date(7)));
// == checks
print(Number.isInteger(5.0), Number.isInteger('5'), Number.isSafeInteger(2 ** 53), Number.isFinite('5'), isFinite('5'), Number.isNaN('x'), isNaN('x'), Number.EPSILON > 0, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE);
// == Math functions
print(Math.round(-0.5), Math.round(2.5), Math.round(-2.5), Math.trunc(-4.7), Math.sign(-3), Math.cbrt(27), Math.hypot(3, 4), Math.log2(8), Math.log10(1000), Math.fround(5.5), Math.clz32(1), Math.imul(0xffffffff, 5), Math.expm1(0), Math.log1p(0), Math.atan2(1, 1), Math.max(), Math.min(1, '0'), Math.max(NaN, 1), Math.abs(null), Math.pow(2, 0.5));
// == Math to the last digit
print(Math.sin(1), Math.cos(1), Math.tan(1), Math.exp(1), Math.log(10), Math.sqrt(2), Math.sinh(1), Math.cosh(1), Math.tanh(1), Math.asin(0.5), Math.acos(0.5), Math.atan(0.5), Math.asinh(1), Math.acosh(2), Math.atanh(0.5));
// == rounding to places
const round = (x, n) => Math.round((x + Number.EPSILON) * 10 ** n) / 10 ** n; print(round(1.005, 2), round(2.345, 2), round(-1.5, 0), +(12.3456).toFixed(2), Math.floor(-1.1), Math.ceil(-1.1));
// == integers beyond their safety
print(2 ** 53 + 1, 9007199254740993, 0.1 * 3, 1e16 + 1, 2 ** 1023 * 2, 5 % 3, -5 % 3, 5.5 % 2, 5 % 0, -0 + 0);
// == median, mean and deviation
const xs = [3, 1, 4, 1, 5, 9, 2, 6]; const mean = xs.reduce((a, b) => a + b) / xs.length; const s = xs.toSorted((a, b) => a - b); print(mean, (s[3] + s[4]) / 2, Math.sqrt(xs.reduce((a, x) => a + (x - mean) ** 2, 0) / xs.length).toFixed(4));
// == seeded random numbers
const mulberry = (a) => () => { a |= 0; a = a + 0x6d2b79f5 | 0; let t = Math.imul(a ^ a >>> 15, 1 | a); t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t; return ((t ^ t >>> 14) >>> 0) / 4294967296 }; const r = mulberry(7); print(r(), r(), r());
// == boxed numbers and their methods
print(new Number(5) + 1, typeof new Number(5), (5).constructor === Number, Number.prototype.toString.call(7), 5..toString(), 5 .toFixed(1), Number('12').toString().length);
// == primes and greatest divisors
const primes = (n) => { const s = Array(n + 1).fill(true); for (let i = 2; i * i <= n; i++) if (s[i]) for (let j = i * i; j <= n; j += i) s[j] = false; return s.flatMap((p, i) => p && i > 1 ? [i] : []) }; const gcd = (a, b) => b ? gcd(b, a % b) : a; print(primes(30), gcd(48, 36));
// == bytes and durations in words
const bytes = (n) => { const u = ['B', 'KB', 'MB', 'GB']; const i = n ? Math.min(Math.floor(Math.log(n) / Math.log(1024)), 3) : 0; return (n / 1024 ** i).toFixed(i ? 1 : 0) + u[i] }; const dur = (s) => [s / 3600 | 0, s / 60 % 60 | 0, s % 60].map((x) => String(x).padStart(2, '0')).join(':'); print(bytes(0), bytes(1536), bytes(5e9), dur(3725));
// == names, lengths and constants
print(Number.length, Number.prototype.toFixed.length, Math.max.length, Math.hypot.length, Math[Symbol.toStringTag], Math.PI, Math.E, Math.LN2, Math.SQRT1_2, Number.parseFloat === parseFloat);
