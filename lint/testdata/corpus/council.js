export const meta = { name: 'council', description: 'A council answers, ranks and concludes', phases: [{ title: 'Answer' }, { title: 'Rank' }, { title: 'Conclude' }] }

const question = typeof args === 'string' ? args : args?.question
if (!question) throw new Error('a question is needed')
const MEMBERS = ['optimist', 'sceptic', 'historian', 'engineer']
const RANK = { type: 'object', properties: { order: { type: 'array', items: { type: 'string' } }, reason: { type: 'string' } }, required: ['order'] }

const [a, b, c, d] = await parallel(MEMBERS.map((m) => () => agent(`As ${m}: ${question}`, { label: m, phase: 'Answer', agentType: 'general-purpose' })))
const answers = { a, b, c, d }
const present = Object.entries(answers).filter(([, text]) => text)
if (present.length < 2) return { question, error: `only ${present.length} answers` }

const ranks = await parallel(present.map(([key]) => async () => {
  const others = present.filter(([k]) => k !== key).map(([k, text]) => `## ${k}\n${text}`).join('\n\n')
  try {
    const r = await agent(`Rank these answers to "${question}":\n${others}`, { label: `rank:${key}`, phase: 'Rank', schema: RANK })
    return r.order
  } catch (e) {
    log(`ranker ${key}: ${e.message}`)
    return []
  }
}))
const points = {}
for (const order of ranks.filter((o) => Array.isArray(o))) {
  order.forEach((key, i) => { points[key] = (points[key] || 0) + order.length - i })
}
const winner = Object.keys(points).sort((x, y) => points[y] - points[x])[0] ?? present[0][0]

phase('Conclude')
const verdict = await agent(`Answer "${question}" in three sentences, from:\n${answers[winner]}`, { label: 'chair', phase: 'Conclude' })
  || `The council has no conclusion; the best answer was: ${answers[winner]}`
if (typeof process !== 'undefined') log(`running on ${process.version}`)
return { question, winner, points, verdict, budget: budget.total ? `${budget.spent()} of ${budget.total}` : 'none' }
