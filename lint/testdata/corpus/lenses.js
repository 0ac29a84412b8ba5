/* Reviews a change through several lenses, verifies each finding three times,
   and keeps what a majority believes. */
export const meta = {
  name: 'lens-review',
  description: 'Review a change through lenses and let sceptics vote on every finding',
  whenToUse: 'Before a merge of more than a few files',
  phases: [{ title: 'Review' }, { title: 'Verify', detail: '3 votes a finding' }, { title: 'Report' }],
}

const opts = typeof args === 'string' ? { base: args } : (args || {})
const BASE = opts.base || 'origin/main'
const LENSES = [
  { key: 'correctness', prompt: 'Look for wrong results and lost errors.' },
  { key: 'concurrency', prompt: 'Look for races and deadlocks.' },
  { key: 'api', prompt: 'Look for surprising or inconsistent names.' },
]
const FINDING = {
  type: 'object',
  additionalProperties: false,
  required: ['file', 'line', 'title', 'severity'],
  properties: {
    file: { type: 'string' },
    line: { type: ['integer', 'null'] },
    title: { type: 'string' },
    severity: { enum: ['low', 'medium', 'high'] },
  },
}
const FINDINGS = { type: 'object', required: ['findings'], properties: { findings: { type: 'array', items: FINDING } } }
const VOTE = { type: 'object', required: ['real'], properties: { real: { type: 'boolean' }, why: { type: 'string' } } }

const reviewed = await pipeline(
  LENSES,
  (lens) => agent(`You review the change against ${BASE}. ${lens.prompt}\n\nReturn structured findings; an empty list is a good answer.`,
    { label: `review:${lens.key}`, phase: 'Review', schema: FINDINGS }),
  (review, lens) => {
    if (!review) return null
    return parallel(review.findings.map((f) => () =>
      parallel([1, 2, 3].map((n) => () =>
        agent(`Sceptic ${n}: is this real? ${JSON.stringify(f)}`, { label: `vote:${lens.key}:${n}`, phase: 'Verify', schema: VOTE })))
        .then((votes) => ({ ...f, lens: lens.key, votes: votes.filter(Boolean).filter((v) => v.real).length })),
    ))
  },
)
const dead = LENSES.filter((_, i) => reviewed[i] === null).map((l) => l.key)
const kept = reviewed.filter(Boolean).flat().filter(Boolean).filter((f) => f.votes >= 2)

const seen = new Map()
for (const f of kept) {
  const key = `${f.file}:${f.line ?? '?'}:${f.title.toLowerCase().trim()}`
  if (!seen.has(key)) seen.set(key, f)
}
const unique = [...seen.values()].sort((a, b) => a.file.localeCompare(b.file) || (a.line || 0) - (b.line || 0))
log(`${kept.length} confirmed, ${unique.length} distinct${dead.length ? `, not reviewed: ${dead.join(', ')}` : ''}`)

phase('Report')
const report = unique.length === 0 ? 'Nothing was found.' : await agent(
  'Write a report on these findings:\n' + unique.map((f) => `- ${f.file}:${f.line} ${f.title} (${f.severity})`).join('\n'),
  { label: 'report', phase: 'Report', effort: 'low' },
)
return { base: BASE, findings: unique, dead, report }
