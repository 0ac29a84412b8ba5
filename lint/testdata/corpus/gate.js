export const meta = { name: 'gate', description: 'Starts calls eagerly behind a one-slot gate, and tolerates failures', phases: [{ title: 'Read' }] }

const FILES = (args && args.files) || ['a.md', 'b.md', 'c.md']
let gate = Promise.resolve()
const started = FILES.map((file, i) => {
  const mine = gate.then(() => agent(`Read ${file} and describe it.`, { label: `read ${file}`, phase: 'Read' })).catch((e) => { log(`${file}: ${e.message}`); return null })
  if (i % 2) gate = mine
  return mine
})
const texts = await Promise.all(started)
const described = texts.map((text, i) => ({ file: FILES[i], text })).filter((x) => x.text)
let best = null
for (const d of described) {
  if (best === null || d.text.length > best.text.length) best = d
}
const out = {}
for (const { file, text } of described) out[file] = text.replace(/\s+/g, ' ').slice(0, 200)
const report = await agent(`Compare these descriptions:\n${JSON.stringify(out, null, 1)}`, {
  label: 'compare',
  ...(args?.model ? { model: args.model } : {}),
  ...(described.length > 10 && { effort: 'high' }),
})
const missing = report === null
if (missing) return { best, out, report: null }
return { best, out, report: report.trim() }
