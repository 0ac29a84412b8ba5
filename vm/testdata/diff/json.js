// == indentation after empty containers
print(JSON.stringify({ a: [], b: [{ c: 1 }], d: {}, e: [[]] }, null, 2));
// == indentation by text and by number
print(JSON.stringify([1, { a: 2 }], null, '--'), JSON.stringify({ a: [1] }, null, 20), JSON.stringify([1], null, 'a very long indent'), JSON.stringify([1], null, 1.9), JSON.stringify([1], null, -1), JSON.stringify([1], null, new Number(3)), JSON.stringify([1], null, true));
// == deep nesting with an indent
print(JSON.stringify({ list: [{ id: 1, tags: [], meta: {} }, { id: 2, tags: ['x'], meta: { k: [null] } }], done: true }, null, 1));
// == values that are left out
print(JSON.stringify({ u: undefined, f() {}, s: Symbol('s'), n: NaN, i: -Infinity, z: -0, d: new Date(0) }), JSON.stringify([undefined, () => 1, Symbol('x')]), JSON.stringify(undefined), JSON.stringify(() => 1), JSON.stringify(null));
// == toJSON gets the key
const o = { toJSON(k) { return 'key:' + k } }; print(JSON.stringify({ a: o, b: [o] }), JSON.stringify(o), JSON.stringify({ toJSON: () => undefined }), JSON.stringify([{ toJSON: 5 }]));
// == a replacer function
const seen = []; print(JSON.stringify({ a: 1, b: { c: [2] } }, function (k, v) { seen.push(k, Array.isArray(this)); return typeof v === 'number' ? v * 10 : v }), seen);
// == a replacer list
print(JSON.stringify({ a: 1, b: { a: 2, c: 3 }, 1: 'one' }, ['b', 'a', 'a', 1, new String('c'), {}]), JSON.stringify({ b: 1, a: 2 }, ['a', 'b'], 1), JSON.stringify({ a: 1 }, []));
// == strings are escaped
print(JSON.stringify('"\\\b\f\n\r\t\u0000\u001f\u007f\u2028é😀'), JSON.stringify('\ud800x\udc00'), JSON.stringify({ '\n': 1 }));
// == boxed values and bigints
print(JSON.stringify([new Number(3), new String('s'), new Boolean(false), Object('x')])); fails(() => JSON.stringify(1n)); BigInt.prototype.toJSON = function () { return this + 'n' }; print(JSON.stringify([1n])); delete BigInt.prototype.toJSON;
// == a cycle is named
const o = { name: 'n' }; o.self = o; fails(() => JSON.stringify(o));
// == a longer cycle is named
class Node { constructor() { this.children = [] } } const root = new Node(), kid = { parent: root }; root.children.push('x', kid); fails(() => JSON.stringify({ root })); const a = []; a.push(a); fails(() => JSON.stringify(a));
// == a cycle through three objects
const a = {}, b = {}, c = {}; a.b = b; b.c = [c]; c.a = a; fails(() => JSON.stringify(a)); fails(() => JSON.stringify([[a]]));
// == the same object twice is no cycle
const s = { v: 1 }; print(JSON.stringify({ a: s, b: [s, s] }));
// == numbers
print(JSON.stringify([1e21, 1e-7, 0.1, 123456789012345680000, 5e-324, 1.0, 100, -1.5e300]));
// == key order
print(JSON.stringify({ b: 1, 2: 'two', a: 3, 1: 'one', [Symbol('s')]: 4 }), JSON.stringify(Object.assign(Object.create({ inherited: 1 }), { own: 2 })));
// == getters and errors in them
fails(() => JSON.stringify({ get a() { throw new Error('getter') } })); print(JSON.stringify({ get a() { return 1 } }), JSON.stringify(new Error('no own keys')), JSON.stringify(/x/), JSON.stringify(new (class { x = 1; #y = 2 })()));
// == parse takes white space and keeps order
print(JSON.parse(' \n\t{"b": [1, 2.5e3, -0, true, null], "a": {"b": "c"}} '), JSON.parse('"\\u00e9\\ud83d\\ude00\\n\\/"'), JSON.parse('5'), JSON.parse('{"a":1,"a":2}'));
// == parse makes __proto__ an own key
const o = JSON.parse('{"__proto__": {"x": 1}, "y": 2}'); print(Object.keys(o), o.x, Object.getPrototypeOf(o) === Object.prototype);
// == lone surrogates survive
const s = JSON.parse('"\\ud800"'); print(s.length, s.charCodeAt(0).toString(16), JSON.stringify(s), JSON.parse('"\\udc00\\ud83d\\ude00"').length);
// == a reviver
print(JSON.parse('{"a":[1,2,{"b":3}],"d":"2020-01-01T00:00:00.000Z"}', (k, v) => k === 'd' ? new Date(v) : typeof v === 'number' ? v + 1 : v), JSON.parse('{"keep":1,"drop":2}', (k, v) => k === 'drop' ? undefined : v), JSON.parse('[1,2,3]', (k, v) => k === '1' ? undefined : v));
// == the order of a reviver and its this
const seen = []; JSON.parse('{"a":{"b":1},"c":[2]}', function (k, v) { seen.push(k + ':' + JSON.stringify(this)); return v }); print(seen);
// == errors of parse: words and ends
for (const t of ['bad', '', '{', '[', '"', 'tru', 'nul', '{"a"', '{"a":', '{"a":1', '[1,', '[1', 'undefined', 'NaN', ' ', "'a'"]) fails(() => JSON.parse(t));
// == errors of parse: separators
for (const t of ['{a:1}', "{'a':1}", '{"a" 1}', '{"a":1,}', '[1,]', '[1 2]', '{"a":1 "b":2}', '{,}', '[,]', '{"a":}', '1 2', '{} x', '[1]]', '{"a":1}}']) fails(() => JSON.parse(t));
// == errors of parse: numbers
for (const t of ['-', '01', '1.', '.5', '1e', '1e+', '+1', '0x10', '1.e1', '-a', '--1', '1.5.5']) fails(() => JSON.parse(t));
// == errors of parse: strings
for (const t of ['"a', '"a\nb"', '"\\x41"', '"\\u12"', '"\\u12G4"', '"\t"', '"\\', '{"a\nb":1}']) fails(() => JSON.parse(t));
// == errors of parse over several lines
for (const t of ['{\n  "a": 1,\n  "b": oops\n}', '[\n1,\n2\n3\n]', '{\n "x": "y"\n "z": 1 }', '```json\n{"a":1}\n```', 'Here is the JSON:\n{"a": 1}']) fails(() => JSON.parse(t));
// == errors of parse in long texts show a part
fails(() => JSON.parse('[' + '1,'.repeat(60) + 'x' + ',1'.repeat(60) + ']')); fails(() => JSON.parse('this is a rather long sentence that is certainly not JSON at all, ever')); fails(() => JSON.parse('{"key": "' + 'v'.repeat(50) + '", oops}')); fails(() => JSON.parse('["' + 'é'.repeat(30) + '", ]'));
// == errors of parse with other values
fails(() => JSON.parse(undefined)); fails(() => JSON.parse({})); fails(() => JSON.parse([])); fails(() => JSON.parse(() => 1)); fails(() => JSON.parse(Symbol('s'))); print(JSON.parse(null), JSON.parse(5), JSON.parse(['1']));
// == errors of parse are SyntaxErrors
try { JSON.parse('{') } catch (e) { print(e instanceof SyntaxError, e.name, e.constructor === SyntaxError, Object.keys(e)) }
// == the model's reply in a fence
const reply = 'Sure!\n```json\n{"ok": true, "items": [1, 2]}\n```'; const m = reply.match(/```(?:json)?\n([\s\S]*?)\n```/); print(JSON.parse(m[1])); try { JSON.parse(reply) } catch (e) { print('fallback', e.message) }
// == stringify then parse is the same
const v = { a: [1, 'x', null, { b: [[], {}] }], c: 1.25, d: 'é\n' }; print(JSON.stringify(JSON.parse(JSON.stringify(v))) === JSON.stringify(v), JSON.parse(JSON.stringify(v, null, 3)));
// == array holes and extra members
const a = [1, , 3]; a.extra = 1; print(JSON.stringify(a), JSON.stringify({ a: [, ,] }, null, 1));
// == proxies and typed arrays
print(JSON.stringify(new Proxy({ a: 1 }, {})), JSON.stringify(new Proxy([1, 2], {})), JSON.stringify(new Uint8Array([1, 2])), JSON.stringify(Object('str')));
// == names and lengths
print(JSON.stringify.length, JSON.parse.length, JSON.stringify.name, JSON.parse.name, JSON[Symbol.toStringTag], Object.keys(JSON));
// == sorted keys by a replacer
const sorted = (k, v) => v && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => a < b ? -1 : 1)) : v; print(JSON.stringify({ z: 1, a: { y: 2, b: 3 } }, sorted, 1));
// == a space of ten characters at most
print(JSON.stringify({ a: 1 }, null, '0123456789abc'), JSON.stringify({ a: { b: 1 } }, null, '\t'));
// == a replacer that changes the root
print(JSON.stringify(1, () => ({ a: 1 }).a), JSON.stringify({ a: 1 }, (k, v) => k === '' ? [v.a] : v), JSON.stringify([1], () => undefined));
