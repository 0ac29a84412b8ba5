export const meta = { name: 'budgeted', description: 'Looks for more until the budget or the well is dry', phases: [{ title: 'Hunt' }] }

const BUG = { type: 'object', required: ['bugs'], properties: { bugs: { type: 'array', items: { type: 'object', required: ['id', 'what'], properties: { id: { type: 'string' }, what: { type: 'string' } } } } } }
const bugs = new Map()
const batch = (round) => parallel(['parser', 'cache', 'network'].map((area) => () => agent(
  `Find bugs in the ${area}. Known: ${[...bugs.keys()].sort().join(', ') || 'none'}.`,
  { label: `hunt:${area}:${round}`, phase: 'Hunt', schema: BUG },
)))
let dry = 0, round = 0
do {
  round++
  const before = bugs.size
  for (const r of await batch(round)) {
    for (const bug of r?.bugs ?? []) if (!bugs.has(bug.id)) bugs.set(bug.id, bug.what)
  }
  dry = bugs.size === before ? dry + 1 : 0
} while (dry < 2 && round < 10)
if (budget.total) {
  while (budget.remaining() > 50_000) {
    const extra = await agent(`One more bug? Known: ${JSON.stringify([...bugs])}`, { label: 'extra', phase: 'Hunt' })
    if (!extra || /none/i.test(extra)) break
    bugs.set(`extra-${bugs.size}`, extra)
  }
}
return { rounds: round, bugs: Object.fromEntries(bugs) }
