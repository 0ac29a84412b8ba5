export const meta = {
  name: 'helpers',
  description: 'Own helpers around agent(): retries, back-off, memoised promises, calls behind the return',
  phases: [{ title: 'Plan' }, { title: 'Build' }, { title: 'Check' }],
}

// --- helpers -------------------------------------------------------------
const sleep = (ms) => new Promise((r) => setTimeout(r, ms))
const obj = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required, additionalProperties: false })
const S = { type: 'string' }
const TASKS = obj({ tasks: { type: 'array', items: obj({ id: S, title: S, deps: { type: 'array', items: S } }) } })
const DONE = obj({ ok: { type: 'boolean' }, notes: S })

const ask = (prompt, label, extra = {}) => agent(prompt, { label, effort: 'high', ...extra })
async function withRetry(make, tries = 3) {
  let last = null
  for (let i = 0; i < tries; i++) {
    last = await make(i)
    if (last !== null) return last
    await sleep(1_000 * (i + 1))
  }
  return last
}

let goal = args?.goal
if (!goal) throw new Error('args.goal is needed')
goal = String(goal).trim()

phase('Plan')
const plan = await withRetry((n) => ask(`Plan the work for: ${goal}\n(attempt ${n + 1})`, `plan:${n}`, { schema: TASKS, phase: 'Plan' }))
if (!plan || !plan.tasks.length) {
  log('no plan')
  return { goal, status: 'unplanned' }
}

// A dependency graph of memoised promises.
const byId = Object.fromEntries(plan.tasks.map((t) => [t.id, t]))
const running = {}
function run(id) {
  if (running[id]) return running[id]
  running[id] = (async () => {
    const t = byId[id]
    if (!t) return { id, ok: false, notes: 'unknown' }
    const before = await Promise.all(t.deps.map(run))
    if (before.some((b) => !b.ok)) return { id, ok: false, notes: 'blocked' }
    const r = await ask(`Implement: ${t.title}\n\nKnown so far:\n${JSON.stringify(before, null, 2)}`, `build:${id}`, { schema: DONE, phase: 'Build', isolation: 'worktree' })
      .catch(() => null)
    return { id, ok: !!r?.ok, notes: r ? r.notes : 'failed' }
  })()
  return running[id]
}
phase('Build')
const results = await Promise.all(plan.tasks.map((t) => run(t.id)))

phase('Check')
let ok = false
let round = 0
while (!ok && round < 3 && (!budget.total || budget.remaining() > 20_000)) {
  round++
  const verdict = await ask(`Run the tests. Round ${round}.`, `check:${round}`, { schema: DONE })
  if (!verdict) { log(`round ${round}: no verdict`); continue }
  ok = verdict.ok
  if (!ok) await mend(verdict.notes)
}
return summary()

async function mend(notes) {
  const r = await ask(`Mend this:\n${notes}`, `mend:${round}`)
  log(r ? `mended: ${r.slice(0, 80)}` : 'not mended')
}
function summary() {
  return { goal, ok, rounds: round, done: results.filter((r) => r.ok).map((r) => r.id), open: results.filter((r) => !r.ok) }
}
