// What every program of the suite may use. It is joined to one line in front of
// the program, so where() takes that line off again.
const print = (...v) => { log(v.map((x) => typeof x === 'string' ? x : show(x, [])).join(' ')) };
const show = (v, open) => {
  if (typeof v === 'string') return JSON.stringify(v);
  if (typeof v === 'bigint') return v + 'n';
  if (typeof v === 'symbol') return v.toString();
  if (typeof v === 'number') return Object.is(v, -0) ? '-0' : String(v);
  if (typeof v === 'function') return '[function ' + v.name + ']';
  if (typeof v !== 'object' || v === null) return String(v);
  if (open.includes(v)) return '[cycle]';
  open = [...open, v];
  if (v instanceof Error) return v.name + '(' + v.message + ')';
  if (v instanceof Date) return 'Date ' + (isNaN(v) ? 'invalid' : v.toISOString());
  if (v instanceof RegExp) return String(v);
  if (v instanceof Promise) return '[promise]';
  if (v instanceof Map) return 'Map{' + [...v].map(([k, x]) => show(k, open) + '=>' + show(x, open)).join(', ') + '}';
  if (v instanceof Set) return 'Set{' + [...v].map((x) => show(x, open)).join(', ') + '}';
  if (v instanceof ArrayBuffer) return 'ArrayBuffer(' + v.byteLength + ')';
  if (ArrayBuffer.isView(v) && !(v instanceof DataView)) return v.constructor.name + '[' + Array.from(v, (x) => show(x, open)).join(', ') + ']';
  if (Array.isArray(v)) {
    const parts = [];
    for (let i = 0; i < v.length; i++) parts.push(i in v ? show(v[i], open) : '<hole>');
    for (const k of Object.keys(v)) if (!(String(+k) === k && +k < v.length)) parts.push(k + ': ' + show(v[k], open));
    return '[' + parts.join(', ') + ']';
  }
  const parts = Object.keys(v).map((k) => k + ': ' + show(v[k], open));
  for (const s of Object.getOwnPropertySymbols(v)) parts.push(s.toString() + ': ' + show(v[s], open));
  const proto = Object.getPrototypeOf(v);
  const name = proto === null ? 'null ' : proto.constructor && proto.constructor !== Object ? (proto.constructor.name || '') + ' ' : '';
  return name + '{' + parts.join(', ') + '}';
};
const says = (e) => e instanceof Error ? e.name + ': ' + e.message : 'threw ' + show(e, []);
const fails = (f) => { try { print('no error', f()) } catch (e) { print(says(e)) } };
const failing = async (f) => { try { print('no error', await f()) } catch (e) { print(says(e)) } };
const where = (e) => { const m = /workflow:t:(\d+):(\d+)/.exec(e.stack); return m ? (m[1] - 1) + ':' + m[2] : 'nowhere' };
