// Looks for something until two rounds in a row bring nothing new. Every round
// starts several finders that look in different ways and know what was found
// before; the number of rounds is bounded.
//
//   dsh-workflow run examples/until-dry.js --model sim
//   dsh-workflow run examples/until-dry.js --args '{"what":"places that swallow errors","rounds":8}'
export const meta = {
  name: 'find-until-dry',
  description: 'Repeat finders until two rounds find nothing new',
  whenToUse: 'When nobody knows how many there are and all of them are wanted',
  phases: [{ title: 'Find', detail: 'rounds of finders' }],
}

const input = typeof args === 'string' ? { what: args } : args ?? {}
const what = input.what ?? 'dead code: functions, branches and options that nothing uses'
const rounds = input.rounds ?? 6
const dryRounds = 2
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 50) throw new Error(`args.rounds must be a whole number from 1 to 50, not ${rounds}`)

const WAYS = input.ways ?? ['folder by folder', 'from the entry points along the calls', 'with grep for telling words']
if (!Array.isArray(WAYS) || WAYS.length === 0) throw new Error('args.ways must be a list with at least one way to look')

const ITEMS = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        required: ['file', 'name', 'why'],
        properties: {
          file: { type: 'string' },
          name: { type: 'string', description: 'the name in the code, or the first words of the place' },
          why: { type: 'string' },
        },
      },
    },
  },
}

// Two finders word the same place differently: file and name decide, not why.
const keyOf = (item) => `${item.file.replace(/^\.\//, '')}#${item.name.trim().toLowerCase()}`

phase('Find')
const seen = new Map()
let dry = 0
let round = 0
let lost = 0
while (dry < dryRounds && round < rounds) {
  round++
  const known = [...seen.keys()]
  const found = await parallel(WAYS.map((way) => () => agent(
    `Round ${round}. Find ${what}. Look ${way}. Report only what is not known yet; an empty list is a good answer. Known:\n${known.join('\n') || '(nothing)'}`,
    { label: `round ${round}: ${way}`, schema: ITEMS, tools: ['read', 'glob', 'grep', 'bash'] },
  )))
  const answered = found.filter((f) => f !== null)
  lost += found.length - answered.length
  let fresh = 0
  for (const item of answered.flatMap((f) => f.items)) {
    const key = keyOf(item)
    if (seen.has(key)) continue
    seen.set(key, { ...item, round })
    fresh++
  }
  // A round in which a finder failed has not shown that there is nothing left.
  if (fresh > 0) dry = 0
  else if (answered.length === found.length) dry++
  log(`round ${round}: ${fresh} new, ${seen.size} in all${answered.length < found.length ? `, ${found.length - answered.length} finders failed` : ''}`)
}
if (dry < dryRounds) log(`stopped after ${rounds} rounds; there may be more`)
return { what, rounds: round, dry: dry >= dryRounds, lost, items: [...seen.values()] }
