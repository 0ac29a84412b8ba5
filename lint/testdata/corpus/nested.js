export const meta = { name: 'nested', description: 'Runs saved workflows for each package and merges their results', phases: [{ title: 'Packages' }, { title: 'Merge' }] }

const { packages = [], dry = false, limit = 20 } = args ?? {}
const queue = packages.slice(0, limit)
const thunks = []
for (const p of queue) thunks.push(() => workflow('audit-package', { name: p, dry }))
if (!dry) thunks.push(async () => ({ name: 'licenses', value: await agent('List the licenses.', { label: 'licenses', phase: 'Packages' }) }))
phase('Packages')
const outcome = await parallel(thunks)
const failed = queue.filter((_, i) => !outcome[i])
const good = outcome.filter((o) => o && !o.error)

phase('Merge')
const sections = await Promise.all(good.map(async (o, i) => {
  await sleep(i * 50)
  const settled = await agent.settled(`Condense:\n${JSON.stringify(o)}`, { label: `condense ${o.name}`, phase: 'Merge', timeoutMs: 60_000, retries: 1 })
  return settled.status === 'completed' ? settled.value : `(${settled.error.code})`
}))
const timeout = new Promise((resolve) => { setTimeout(() => resolve('timed out'), 600_000) })
const merged = await Promise.race([agent(`Merge:\n${sections.join('\n---\n')}`, { label: 'merge' }), timeout])
switch (merged) {
  case 'timed out':
    return { merged: null, failed }
  default:
    return { merged, failed, count: good.length }
}

function sleep(ms) { return new Promise((r) => { setTimeout(r, ms) }) }
