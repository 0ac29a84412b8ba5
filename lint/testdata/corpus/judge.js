export const meta = { name: 'judge', description: 'Generates candidates, judges them pairwise and keeps the champion', phases: [{ title: 'Generate' }, { title: 'Judge' }] }

const N = Number.isInteger(args?.n) ? args.n : 4
const STYLES = ['terse', 'thorough', 'playful', 'formal']
const PICK = { type: 'object', required: ['winner'], properties: { winner: { enum: ['A', 'B'] }, why: { type: 'string' } }, additionalProperties: false }

phase('Generate')
const drafts = (await parallel(Array.from({ length: N }, (_, i) => () =>
  agent(`Write a ${STYLES[i % STYLES.length]} introduction.`, { label: `draft ${i + 1}`, phase: 'Generate' })))).filter((d) => typeof d === 'string' && d.length > 0)
if (drafts.length === 0) throw new Error('no drafts')

phase('Judge')
let champion = drafts[0]
const log2 = []
for (let i = 1; i < drafts.length; i++) {
  const r = await agent(`Which is better?\nA:\n${champion}\nB:\n${drafts[i]}`, { label: `duel ${i}`, phase: 'Judge', schema: PICK })
  if (r?.winner === 'B') champion = drafts[i]
  log2.push(r ? `${i}: ${r.winner} ${r.why ?? ''}` : `${i}: no verdict`)
}
const confidence = await (async () => {
  const r = await agent(`How sure are you about this?\n${champion}`, { label: 'confidence' })
  if (!r) return 'unknown'
  const m = r.match(/(\d+)\s*%/)
  return m ? `${m[1]} %` : r
})()
return { champion, confidence, duels: log2, candidates: drafts.length }
