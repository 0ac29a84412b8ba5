export const meta = {
  name: 'deploy-check', description: 'Checks, fixes and reports before a deploy',
  phases: [{ title: 'Lint & Types', detail: 'in parallel' }, { title: 'Triage' }, { title: 'Fix' }],
}
const SHARED = `You work in the repository at ${args?.root ?? '.'}. Read AGENTS.md first.`
const TRIAGE = { type: 'object', required: ['actionable', 'rejected'], properties: { actionable: { type: 'array', items: { type: 'object', required: ['title'], properties: { title: { type: 'string' }, fix: { type: 'string' } } } }, rejected: { type: 'array', items: { type: 'string' } } } }

phase('Lint & Types')
const checks = await parallel([
  () => agent('Run the linter. Say PASS or list the failures.', { label: 'lint' }),
  () => agent('Run the type checker. Say PASS or list the failures.', { label: 'types' }),
])
const [lint, types] = checks
log(`lint: ${lint}`)
log('types: ' + types)
const failing = [['lint', lint], ['types', types]].filter(([, text]) => !text || !/^PASS/.test(text))
if (!failing.length) return { ok: true, failing: [] }

phase('Triage')
let triage = { actionable: [], rejected: [] }
const made = await agent(`${SHARED}\n\nTriage:\n${failing.map(([k, v]) => `## ${k}\n${v ?? '(no answer)'}`).join('\n')}`, { label: 'triage', phase: 'Triage', schema: TRIAGE, effort: 'high' })
if (made) triage = made
log(`${triage.actionable.length} to do, ${triage.rejected.length} rejected`)

phase('Fix')
const fixed = []
const started = new Map()
const begin = (item) => {
  if (!started.has(item.title)) started.set(item.title, agent(`${SHARED}\nFix: ${item.title}\n${item.fix || ''}`, { label: `fix ${item.title}`.slice(0, 40), phase: 'Fix', isolation: 'worktree' }).catch((e) => { log(String(e)); return null }))
  return started.get(item.title)
}
for (const item of triage.actionable) begin(item)
for (const item of triage.actionable) {
  const text = await begin(item)
  if (text === null) continue
  fixed.push({ title: item.title, text: text.split('\n')[0] })
}
const outcome = fixed.length === triage.actionable.length ? 'all' : fixed.length ? 'some' : 'none'
return { ok: outcome === 'all', outcome, fixed, left: triage.actionable.filter((a) => !fixed.find((f) => f.title === a.title)).map((a) => a.title) }
