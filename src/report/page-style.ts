/** The style of the page of a report. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8884; --new: #1a7f37; --gone: #cf222e; --changed: #9a6700; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; height: 100vh; display: flex; flex-direction: column; }
header { padding: 8px 16px; border-bottom: 1px solid var(--line); }
h1 { font-size: 16px; margin: 0; }
header p, header ul { margin: 4px 0; }
#problems { color: var(--gone); max-height: 8em; overflow: auto; }
form { display: flex; gap: 8px; }
#search { flex: 1; max-width: 480px; }
input, select { font: inherit; padding: 4px 8px; }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(240px, 380px) 1fr; }
nav { overflow: auto; border-right: 1px solid var(--line); }
nav h2 { font-size: 12px; margin: 0; padding: 10px 12px 2px; overflow-wrap: anywhere; opacity: 0.75; }
nav button { display: block; width: 100%; text-align: left; font: inherit; padding: 4px 12px; border: 0; background: none; color: inherit; cursor: pointer; }
nav button:hover { background: #8882; }
nav button[aria-current] { background: #2a6df433; }
nav button span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
nav .to { opacity: 0.75; font-size: 12px; }
article { overflow: auto; padding: 12px 16px; }
article h2 { margin: 0 0 4px; font-size: 18px; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 8px 0; }
dt { opacity: 0.75; } dd { margin: 0; overflow-wrap: anywhere; }
iframe { width: 100%; height: 60vh; border: 1px solid var(--line); background: #fff; resize: vertical; color-scheme: light; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: 8px; margin: 8px 0; }
pre .added { color: var(--new); } pre .removed { color: var(--gone); }
.tag { font-size: 12px; border: 1px solid; border-radius: 3px; padding: 0 4px; margin-right: 4px; }
.new { color: var(--new); } .gone, .error, .failed { color: var(--gone); } .changed, .warning { color: var(--changed); }
summary { cursor: pointer; font-weight: 600; margin-top: 12px; }
@media (max-width: 700px) { main { grid-template-columns: 1fr; grid-template-rows: 40% 60%; } nav { border-right: 0; border-bottom: 1px solid var(--line); } }
`
