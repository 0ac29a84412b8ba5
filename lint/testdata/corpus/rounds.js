// Works on a list in rounds: what failed is tried again with the reason.
export const meta = { name: 'rounds', description: 'Fix files in rounds until a gate is green', phases: [{ title: 'Fix' }, { title: 'Gate' }] }

const MAX_ROUNDS = 4
const GATE = {
  type: 'object', required: ['green', 'failures'],
  properties: { green: { type: 'boolean' }, failures: { type: 'array', items: { type: 'object', required: ['file', 'message'], properties: { file: { type: 'string' }, message: { type: 'string' } } } } },
}
const history = []
let gate = await check(0)
for (let round = 1; round <= MAX_ROUNDS && gate && !gate.green; round++) {
  phase('Fix')
  const byFile = new Map()
  for (const f of gate.failures) {
    if (!byFile.has(f.file)) byFile.set(f.file, [])
    byFile.get(f.file).push(f.message)
  }
  // One after another: they share a working tree.
  for (const [file, messages] of byFile) {
    const said = await agent(`Fix ${file}:\n${messages.map((m) => `- ${m}`).join('\n')}\nEarlier rounds:\n${history.join('\n') || '(none)'}`, { label: `fix:${file}:${round}` })
    history.push(`${round} ${file}: ${(said ?? 'failed').split('\n')[0]}`)
  }
  gate = await check(round)
}
const status = !gate ? 'unknown' : gate.green ? 'green' : 'red'
log(`gate is ${status}`)
return { status, history, failures: gate?.failures ?? [] }

async function check(round) {
  phase('Gate')
  for (let i = 0; i < 2; i++) {
    const r = await agent(`Run the gate. Round ${round}, attempt ${i + 1}.`, { label: `gate:${round}.${i}`, schema: GATE })
    if (r) return r
  }
  return null
}
