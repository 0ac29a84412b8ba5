// == typed arrays wrap and clamp
print(new Uint8Array([256, -1, 1.9]), new Uint8ClampedArray([300, -5, 1.5, 2.5]), new Int16Array([40000]), new Float32Array([0.1]), new Int8Array(2), new Uint32Array([-1]));
// == constructors
const b = new ArrayBuffer(8); print(new Uint8Array(b, 2, 3).length, Uint8Array.from([1, 2], (x) => x * 2), Uint8Array.of(1, 2), new Uint16Array(new Uint8Array([1, 2])), new Uint8Array(new Set([5])), Uint8Array.BYTES_PER_ELEMENT); fails(() => new Uint16Array(b, 1)); fails(() => new Uint8Array(b, 9)); fails(() => Uint8Array(2)); fails(() => new Uint32Array(new ArrayBuffer(3)));
// == views share a buffer
const b = new ArrayBuffer(4), u8 = new Uint8Array(b), u32 = new Uint32Array(b); u32[0] = 0x01020304; print(u8, b.byteLength, u8.buffer === b, u8.subarray(1, 3), u8.slice(1, 3).buffer === b);
// == methods of typed arrays
const a = new Int32Array([3, 1, 2]); print(a.map((x) => x * 2), a.filter((x) => x > 1), a.sort(), a.toSorted((x, y) => y - x), a.with(0, 9), a.toReversed(), a.indexOf(2), a.join('-'), [...a.entries()], a.reduce((x, y) => x + y), a.at(-1), a.findLast((x) => x < 3), a.includes(3), a.fill(7, 1, 2), a.set([8], 2), a, a.copyWithin(0, 1)); fails(() => a.with(9, 1)); fails(() => a.set([1, 2, 3, 4]));
// == data views and byte order
const v = new DataView(new ArrayBuffer(8)); v.setInt16(0, -2); v.setFloat32(4, 1.5, true); print(v.getUint8(0), v.getInt16(0), v.getUint16(0, true), v.getFloat32(4, true), v.byteLength); fails(() => v.getInt8(8)); fails(() => v.setBigInt64(4, 1n));
// == indices out of range do nothing
const a = new Uint8Array(2); a[5] = 1; a[-1] = 1; a['x'] = 'y'; print(a, a[5], 5 in a, Object.keys(a), a.x, a.length);
// == slices of buffers
const b = new Uint8Array([1, 2, 3, 4]).buffer; print(new Uint8Array(b.slice(1, 3)), ArrayBuffer.isView(new DataView(b)), ArrayBuffer.isView(b), b.slice(-1).byteLength, Object.prototype.toString.call(b));
// == buffers that move and grow
const b = new ArrayBuffer(4, { maxByteLength: 8 }); print(b.resizable, b.maxByteLength); b.resize(6); print(b.byteLength); const c = b.transfer(); print(c.byteLength, b.detached, b.byteLength); fails(() => b.slice(0));
// == text to bytes by hand
const utf8 = (s) => Uint8Array.from(unescape(encodeURIComponent(s)), (c) => c.charCodeAt(0)); const back = (a) => decodeURIComponent(escape(String.fromCharCode(...a))); print(utf8('é😀'), back(utf8('é😀')));
// == base64 by hand
const A = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'; const b64 = (a) => { let s = ''; for (let i = 0; i < a.length; i += 3) { const n = a[i] << 16 | (a[i + 1] ?? 0) << 8 | (a[i + 2] ?? 0); s += A[n >> 18] + A[n >> 12 & 63] + (i + 1 < a.length ? A[n >> 6 & 63] : '=') + (i + 2 < a.length ? A[n & 63] : '=') } return s }; print(b64([77, 97, 110]), b64([77]), b64([77, 97]));
// == float bits
const f = new Float64Array([1.5]), u = new BigUint64Array(f.buffer); print(u[0].toString(16), new Uint8Array(new Float32Array([-0]).buffer), Object.is(new Float64Array([-0])[0], -0));
// == a checksum by a table
const T = Uint32Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1; return n }); const crc = (s) => { let c = -1; for (const ch of s) c = c >>> 8 ^ T[(c ^ ch.charCodeAt(0)) & 255]; return ((c ^ -1) >>> 0).toString(16) }; print(crc('workflow'), crc(''));
// == sorting of floats
print(new Float64Array([3, NaN, -0, 0, -Infinity]).sort(), new Float32Array([2, 1]).toSorted());
// == prototypes and names
const TA = Object.getPrototypeOf(Uint8Array); print(TA.name, Uint8Array.name, Uint8Array.length, TA.prototype[Symbol.iterator] === TA.prototype.values, new Uint8Array(1)[Symbol.toStringTag], Object.getPrototypeOf(Int8Array.prototype) === TA.prototype); fails(() => new TA());
// == arrays from and to typed arrays
print(Array.from(new Uint8Array([1, 2])), [...new Int8Array(2)], new Uint8Array([1, 2, 3]).toString(), Array.isArray(new Uint8Array(1)), [].concat(new Uint8Array([1])).length, JSON.stringify({ a: new Float32Array([0.5]) }));
