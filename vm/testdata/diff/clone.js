// == plain values, dates, patterns, maps and sets
const o = { a: [1, { b: 2 }], d: new Date(5), r: /x/gi, m: new Map([[1, { v: 1 }]]), s: new Set([[1]]), n: null, u: undefined, big: 5n }; const c = structuredClone(o); print(c, c !== o, c.m.get(1) !== o.m.get(1), c.r.lastIndex, 'u' in c, c.d instanceof Date);
// == cycles and shared objects
const o = { name: 'o' }; o.self = o; o.list = [o, o]; const c = structuredClone(o); print(c.self === c, c.list[0] === c, c.list[0] === c.list[1], c !== o);
// == what cannot be cloned
for (const v of [() => 1, Symbol('s'), { f() {} }, new WeakMap(), Promise.resolve(), [class A {}]]) { try { structuredClone(v); print('cloned') } catch (e) { print(e.name, e.message, e.code) } }
// == prototypes and accessors are lost
class P { x = 1; get y() { return 2 } m() {} } const c = structuredClone(new P()); print(c, c instanceof P, Object.getPrototypeOf(c) === Object.prototype, structuredClone({ get g() { return 'read' } }), structuredClone(Object.create({ inh: 1 }, { hid: { value: 1 } })));
// == errors
const e = structuredClone(new TypeError('t', { cause: { a: 1 } })); print(e instanceof TypeError, e.message, e.name, e.cause, structuredClone(Object.assign(new Error('x'), { name: 'Custom', extra: 1 })).name, structuredClone(new RangeError('r')).constructor === RangeError);
// == sparse arrays and extra members
const a = [1, , 3]; a.extra = 'x'; print(structuredClone(a), 1 in structuredClone(a));
// == boxed primitives
const c = structuredClone([new String('s'), new Number(1), new Boolean(false), Object(1n)]); print(c.map((x) => typeof x), c[0] + 's', c[1] + 1);
// == buffers and views
const u = new Uint8Array([1, 2, 3]); const c = structuredClone({ a: u, b: u.buffer, v: new DataView(u.buffer, 1) }); print(c.a, c.a.buffer === c.b, c.v.byteOffset, c.a !== u);
// == transfer moves a buffer
const b = new ArrayBuffer(8); const c = structuredClone(b, { transfer: [b] }); print(c.byteLength, b.byteLength, b.detached);
// == arguments
fails(() => structuredClone()); print(structuredClone(undefined), structuredClone(5), structuredClone('x'), structuredClone.length, structuredClone.name);
// == order of keys and integer keys
print(Object.keys(structuredClone({ b: 1, 2: 1, a: 1, 1: 1 })), [...structuredClone(new Map([['z', 1], ['a', 2]])).keys()]);
// == getters that throw
fails(() => structuredClone({ get a() { throw new Error('getter') } })); fails(() => structuredClone(new Proxy({}, {})));
