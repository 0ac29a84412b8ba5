export const meta = {
  name: 'harvest',
  description: '收集会议记录并写成摘要',
  phases: ['Discover', 'Summarise', 'Deliver'],
}
const A = typeof args === 'string' ? JSON.parse(args) : args
const DATE = (A && A.date) || 'undated'
const DONE_IDS = new Set((A && A.done) || [])
const SOURCES = [{ key: 'drive', q: 'Meet recordings' }, { key: 'mail', q: 'invitations' }]
const MEETINGS = {
  type: 'object', required: ['meetings'],
  properties: { meetings: { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, title: { type: 'string' } } } } },
}
const SUMMARY = { type: 'object', required: ['summary', 'actions'], properties: { summary: { type: 'string' }, actions: { type: 'array', items: { type: 'string' } } } }

const found = await parallel(SOURCES.map((s) => () =>
  agent(`Search ${s.q} of ${DATE}. Skip these ids: ${JSON.stringify([...DONE_IDS])}`, { label: `discover:${s.key}`, phase: 'Discover', schema: MEETINGS })))

const all = []
for (const r of found) {
  if (!r || !Array.isArray(r.meetings)) continue
  for (const m of r.meetings) {
    if (DONE_IDS.has(m.id)) continue
    DONE_IDS.add(m.id)
    all.push(m)
  }
}
if (all.length === 0) {
  log('Nothing to do.')
  return { date: DATE, meetings: 0 }
}
const summaries = (await pipeline(
  all,
  (m) => agent(`Read the transcript of ${m.title || m.id}.`, { label: `read:${m.id}`, phase: 'Summarise', model: 'haiku' }),
  (text, m) => agent(`Summarise:\n${text}`, { label: `sum:${m.id}`, phase: 'Summarise', schema: SUMMARY }),
  async (s, m) => {
    if (!s) return null
    const link = await agent(`Write this to the wiki and answer with the link:\n${s.summary}`, { label: `deliver:${m.id}`, phase: 'Deliver' })
    return { id: m.id, link: link || '(no link)', actions: s.actions }
  },
)).filter(Boolean)

const counts = summaries.reduce((acc, s) => { acc[s.id] = s.actions.length; return acc }, {})
let digest = summaries.map((s) => `* ${s.id}: ${s.link}`).join('\n')
if (digest.length > 2000) digest = digest.slice(0, 2000) + '…'
return { date: DATE, meetings: summaries.length, missing: all.length - summaries.length, counts, digest }
