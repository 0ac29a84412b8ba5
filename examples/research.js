// Answers a question from several angles and lets a panel of judges vote on
// every claim: a claim stands when more than half of the whole panel supports
// it, so a judge that failed never counts as a yes.
//
//   dsh-workflow run examples/research.js --model sim --args-text 'How are sessions stored here?'
//   dsh-workflow run examples/research.js --args '{"question":"Why is start-up slow?","judges":5}'
export const meta = {
  name: 'research-question',
  description: 'Research a question from several angles and vote on each claim',
  whenToUse: 'When an answer matters enough that one reader is not believed',
  phases: [
    { title: 'Research', detail: 'one agent an angle' },
    { title: 'Judge', detail: 'a panel on every claim' },
    { title: 'Answer', detail: 'from what stood' },
  ],
}

const input = typeof args === 'string' ? { question: args } : args ?? {}
const { question, judges = 3 } = input
if (!question) throw new Error(`args.question is needed: --args-text 'your question', or --args '{"question":"…","judges":3}'`)
if (!Number.isInteger(judges) || judges < 1 || judges > 9) throw new Error(`args.judges must be a whole number from 1 to 9, not ${judges}`)

const ANGLES = input.angles ?? [
  'the code itself: read what runs',
  'tests and configuration: what is expected and set',
  'documents and history: what was written and decided',
]
const LENSES = input.lenses ?? ['Is the evidence really there?', 'Does the claim follow from it?', 'What speaks against it?']

for (const [name, list] of Object.entries({ angles: ANGLES, lenses: LENSES })) {
  if (!Array.isArray(list) || list.length === 0) throw new Error(`args.${name} must be a list with at least one line`)
}

const CLAIMS = {
  type: 'object',
  required: ['claims'],
  properties: {
    claims: {
      type: 'array',
      maxItems: 5,
      items: {
        type: 'object',
        required: ['claim', 'evidence'],
        properties: {
          claim: { type: 'string', description: 'one sentence that can be wrong' },
          evidence: { type: 'string', description: 'file and line, or the command and what it printed' },
        },
      },
    },
  },
}
const VOTE = {
  type: 'object',
  required: ['supported', 'reason'],
  properties: { supported: { type: 'boolean' }, reason: { type: 'string' } },
}

phase('Research')
const angles = await parallel(ANGLES.map((angle, i) => () => agent(
  `Question: ${question}\nLook for the answer in this way only: ${angle}. Give claims with their evidence.`,
  { label: `angle ${i + 1}`, schema: CLAIMS, tools: ['read', 'glob', 'grep', 'bash'] },
)))
const missing = ANGLES.filter((_, i) => angles[i] === null)
if (missing.length === ANGLES.length) throw new Error('every angle failed, so there is nothing to judge')

// The barrier above is needed: the same claim from two angles is judged once.
const claims = new Map()
for (const c of angles.filter((a) => a !== null).flatMap((a) => a.claims)) {
  const key = c.claim.trim().toLowerCase()
  if (!claims.has(key)) claims.set(key, c)
}
log(`${claims.size} claims from ${ANGLES.length - missing.length} of ${ANGLES.length} angles`)

phase('Judge')
const judged = await parallel([...claims.values()].map((c, n) => async () => {
  // settled() tells why a judge gave no vote, where agent() would give null.
  const votes = await parallel(Array.from({ length: judges }, (_, j) => () => agent.settled(
    `Question: ${question}\nClaim: ${c.claim}\nEvidence: ${c.evidence}\nCheck it yourself. ${LENSES[j % LENSES.length]} Support the claim only if you are sure.`,
    { label: `judge ${j + 1} on claim ${n + 1}`, phase: 'Judge', schema: VOTE, tools: ['read', 'glob', 'grep', 'bash'] },
  )))
  const cast = votes.filter((v) => v.status === 'completed').map((v) => v.value)
  const yes = cast.filter((v) => v.supported).length
  const no = cast.length - yes
  return {
    ...c,
    yes,
    no,
    verdict: yes * 2 > judges ? 'stands' : no * 2 >= judges ? 'falls' : 'open',
    against: cast.filter((v) => !v.supported).map((v) => v.reason),
    lost: votes.filter((v) => v.status !== 'completed').map((v) => v.error.code),
  }
}))
const results = judged.filter((j) => j !== null)
const stands = results.filter((j) => j.verdict === 'stands')

phase('Answer')
const answer = stands.length === 0 ? null : await agent(
  `Answer the question "${question}" in a few sentences from these claims alone, and say what they leave open:\n${JSON.stringify(stands.map(({ claim, evidence }) => ({ claim, evidence })))}`,
  { label: 'answer', tools: ['read'] },
)
return {
  question,
  answer,
  stands,
  falls: results.filter((j) => j.verdict === 'falls'),
  open: results.filter((j) => j.verdict === 'open'),
  missing,
}
