// == arguments that arrive as text
const args = '{"items":[1,2],"depth":"high"}'; const input = typeof args === 'string' ? (() => { try { return JSON.parse(args) } catch { return { task: args } } })() : args ?? {}; print(input, (input && input.items) || [], input?.depth ?? 'low');
// == a guard on arguments that are missing
const args = undefined; const { a = 1, list = [] } = args || {}; print(a, list, args && args.x, (args ?? {}).y || 'default'); if (!args?.topic) throw new Error('args.topic is required: pass {"topic": "..."}');
// == schema constants that are shared
const FINDING = { type: 'object', required: ['title', 'severity'], properties: { title: { type: 'string' }, severity: { enum: ['high', 'low'] } } }; const LIST = { type: 'object', properties: { findings: { type: 'array', items: FINDING } }, required: ['findings'] }; print(JSON.stringify(LIST), LIST.properties.findings.items === FINDING);
// == a prompt from parts
const dims = ['bugs', 'speed'], ctx = { repo: 'x', files: ['a.go', 'b.go'] }; const prompt = (d) => `Review for **${d}**.\n\n## Files\n${ctx.files.map((f) => `- \`${f}\``).join('\n')}\n\nContext:\n${JSON.stringify(ctx, null, 2)}\n`.trim(); print(dims.map(prompt).join('\n---\n'));
// == merging findings by a key
const norm = (s) => s.toLowerCase().replace(/[^a-z0-9]+/g, ' ').trim(); const raw = [{ file: 'a.go', line: 3, title: 'Nil deref!' }, { file: 'a.go', line: 3, title: 'nil  deref' }, { file: 'b.go', line: 9, title: 'Race' }]; const seen = new Map(); for (const f of raw) { const k = `${f.file}:${f.line}:${norm(f.title)}`; if (!seen.has(k)) seen.set(k, { ...f, votes: 1 }); else seen.get(k).votes++ } print([...seen.values()]);
// == votes and thresholds
const votes = [{ ok: true }, null, { ok: false }, { ok: true }]; const valid = votes.filter(Boolean); print(valid.filter((v) => v.ok).length > valid.length / 2, `${valid.length}/${votes.length}`, Math.ceil(valid.length / 2));
// == ranking with ties
const items = [{ n: 'b', s: 2 }, { n: 'a', s: 2 }, { n: 'c', s: 5 }]; const order = { high: 0, low: 1 }; print([...items].sort((x, y) => y.s - x.s || x.n.localeCompare(y.n)).map((x, i) => `${i + 1}. ${x.n}`), ['low', 'high', 'odd'].sort((a, b) => (order[a] ?? 9) - (order[b] ?? 9)));
// == batches of work
const files = Array.from({ length: 7 }, (_, i) => `f${i}.ts`); const batches = []; for (let i = 0; i < files.length; i += 3) batches.push(files.slice(i, i + 3)); print(batches, batches.flat().length, batches.map((b, i) => ({ label: `batch-${i + 1}`, n: b.length })));
// == a loop until nothing is new
const rounds = [['a', 'b'], ['b', 'c'], ['c'], []]; const known = new Set(); let dry = 0, round = 0; while (dry < 2 && round < 10) { const fresh = (rounds[round] ?? []).filter((x) => !known.has(x)); fresh.forEach((x) => known.add(x)); dry = fresh.length ? 0 : dry + 1; round++ } print([...known], round, dry);
// == a report in Markdown
const rows = [{ id: 'F1', sev: 'high', t: 'x|y' }, { id: 'F2', sev: 'low', t: 'z' }]; print(['| id | severity | title |', '|---|---|---|', ...rows.map((r) => `| ${r.id} | ${r.sev.toUpperCase()} | ${r.t.replace(/\|/g, '\\|')} |`)].join('\n'), `\nTotal: ${rows.length} finding${rows.length === 1 ? '' : 's'}`);
// == JSON from a reply with prose around it
const pick = (s) => { const m = s.match(/```(?:json)?\s*([\s\S]*?)```/) ?? s.match(/(\{[\s\S]*\}|\[[\s\S]*\])/); try { return JSON.parse((m?.[1] ?? s).trim()) } catch (e) { return { error: e.message } } }; print(pick('Here:\n```json\n{"a": [1]}\n```\nDone'), pick('The answer is {"b": 2}.'), pick('none'), pick('{"broken": '));
// == sleep and staggered starts
const sleep = (ms) => new Promise((r) => setTimeout(r, ms)); const out = []; await Promise.all([3, 1, 2].map(async (n) => { await sleep(n * 4); out.push(n) })); print(out);
// == results that may be null
const results = [{ summary: 's1', items: [1] }, null, { summary: 's2' }]; print(results.filter(Boolean).map((r) => r.summary), results.flatMap((r) => r?.items ?? []), results.map((r, i) => r ?? { i, failed: true }), results.findIndex((r) => !r));
// == tables of lenses with thunks
const LENSES = [{ key: 'sec', ask: 'Is it safe?' }, { key: 'perf', ask: 'Is it fast?' }]; const thunks = LENSES.map((l) => () => Promise.resolve(`${l.key}: ${l.ask}`)); const res = await Promise.all(thunks.map((t) => t())); print(Object.fromEntries(LENSES.map((l, i) => [l.key, res[i]])));
// == truncated text and stable hashes
const clip = (s, n = 12) => (s = String(s ?? '')).length > n ? s.slice(0, n - 1) + '…' : s; const hash = (s) => [...s].reduce((h, c) => Math.imul(31, h) + c.charCodeAt(0) | 0, 0); print(clip('a long line of text'), clip(null), clip(5), hash('workflow'), Math.abs(hash('x')) % 7);
// == budgets and guards
const budget = { total: null, spent: () => 12, remaining: () => Infinity }; print(!budget.total || budget.remaining() > 1000, Math.min(budget.remaining(), 50), JSON.stringify({ left: budget.remaining(), total: budget.total }));
// == dependency waves
const tasks = { api: [], db: [], svc: ['api', 'db'], ui: ['svc'] }; const done = new Set(), waves = []; while (done.size < Object.keys(tasks).length) { const ready = Object.keys(tasks).filter((t) => !done.has(t) && tasks[t].every((d) => done.has(d))); if (!ready.length) throw new Error('cycle'); waves.push(ready); ready.forEach((t) => done.add(t)) } print(waves);
// == errors as data
const safe = async (f, fallback) => { try { return await f() } catch (e) { return { ...fallback, error: e instanceof Error ? e.message : String(e) } } }; print(await safe(async () => { throw new Error('down') }, { ok: false }), await safe(() => JSON.parse('{'), {}), await safe(() => Promise.reject('text'), {}), await safe(() => ({ ok: 1 })));
// == paths and extensions
const base = (p) => p.split('/').pop(), ext = (p) => p.includes('.') ? p.slice(p.lastIndexOf('.')) : ''; const tree = {}; for (const p of ['src/a/x.ts', 'src/b.ts', 'README']) p.split('/').reduce((t, k) => t[k] ??= {}, tree); print(base('src/a.ts'), ext('src/a.ts'), ext('Makefile'), tree);
// == scores with weights
const W = { correctness: 0.5, clarity: 0.3, cost: 0.2 }; const score = (r) => Object.entries(W).reduce((s, [k, w]) => s + (r[k] ?? 0) * w, 0); print(score({ correctness: 8, clarity: 7, cost: 10 }).toFixed(2), +score({ clarity: 5 }).toFixed(1), Object.values(W).reduce((a, b) => a + b));
// == early return in the middle
if (Object.keys({}).length === 0) return { status: 'nothing to do', items: [] };
print('never');
// == functions behind the final return
const plan = makePlan(3);
return summary(plan);
function makePlan(n) { return Array.from({ length: n }, (_, i) => ({ id: i, deps: i ? [i - 1] : [] })) }
function summary(p) { return p.map((t) => `${t.id}<-${t.deps.join()}`).join(' ') }
// == numbered lists, plurals and joins
const n = 2, names = ['ann', 'bob', 'cy']; print(names.map((x, i) => `${i + 1}) ${x[0].toUpperCase()}${x.slice(1)}`).join('\n'), `${n} agent${n === 1 ? '' : 's'}`, names.slice(0, -1).join(', ') + ' and ' + names.at(-1));
// == settled batches with a cap
const work = [1, 2, 3, 4, 5].map((x) => async () => { if (x === 3) throw new Error('bad ' + x); return x * x }); const out = []; for (let i = 0; i < work.length; i += 2) out.push(...await Promise.allSettled(work.slice(i, i + 2).map((f) => f()))); print(out.map((r) => r.status === 'fulfilled' ? r.value : r.reason.message));
// == dates that come in by arguments
const args = { date: '2026-11-30' }; const day = args.date ?? 'unknown'; const next = new Date(`${day}T00:00:00Z`); next.setUTCDate(next.getUTCDate() + 1); print(day.replaceAll('-', ''), next.toISOString().slice(0, 10), day.split('-').map(Number));
