/** The style of the page of a report. The colors are those of the inbox page: ui/styles/tokens.css has them. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f6f4, #151517); --surface: light-dark(#fff, #1c1c1f); --hover: light-dark(#ecebe7, #26262a);
  --selected: light-dark(#e4e8fa, #272c48); --line: light-dark(#e3e2dd, #37373d); --control: light-dark(#8d8b83, #75757e);
  --ink: light-dark(#1b1a18, #ededf0); --ink-2: light-dark(#54524c, #b6b6be); --accent: light-dark(#3450c4, #8ea2ff);
  --good: light-dark(#17693a, #6cce93); --warn: light-dark(#855000, #ecb45c); --bad: light-dark(#b0231b, #ff958c); --info: light-dark(#2d46b0, #a5b5ff);
  --good-soft: light-dark(#e2f3e8, #18301f); --warn-soft: light-dark(#fcefd9, #362812); --bad-soft: light-dark(#fce9e7, #3d1e1c); --info-soft: light-dark(#e6eafb, #242a45);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
body { margin: 0; height: 100vh; height: 100dvh; display: flex; flex-direction: column; background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
header { padding: 12px 20px; border-bottom: 1px solid var(--line); background: var(--surface); }
h1 { font-size: 18px; margin: 0; }
header p, header ul { margin: 2px 0 8px; color: var(--ink-2); }
#problems { color: var(--bad); max-height: 8em; overflow: auto; }
#problems:empty { display: none; }
form { display: flex; flex-wrap: wrap; gap: 8px; }
#search { flex: 1 1 220px; min-width: 0; max-width: 480px; }
input, select, #back { font: inherit; min-height: 36px; padding: 4px 10px; border: 1px solid var(--control); border-radius: 6px; background: var(--surface); color: inherit; }
select { max-width: 100%; }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(280px, 400px) minmax(0, 1fr); }
nav { overflow: auto; border-right: 1px solid var(--line); background: var(--surface); padding-bottom: 16px; }
nav h2 { position: sticky; top: 0; z-index: 1; font-size: 12px; font-weight: 600; margin: 0; padding: 8px 16px; overflow-wrap: anywhere; color: var(--ink-2); background: var(--ground); border-block: 1px solid var(--line); }
nav h2.failed { color: var(--bad); }
nav button { display: block; width: 100%; text-align: start; font: inherit; padding: 7px 16px; border: 0; border-bottom: 1px solid var(--line); background: none; color: inherit; cursor: pointer; }
nav button:hover { background: var(--hover); }
nav button[aria-current] { background: var(--selected); box-shadow: inset 3px 0 var(--accent); }
nav button > span { display: flex; gap: 6px; align-items: baseline; }
nav .subject { flex: 1; min-width: 0; font-weight: 500; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: plaintext; }
nav .to { color: var(--ink-2); font-size: 12px; }
nav .to > :first-child { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
nav .none { padding: 16px; color: var(--ink-2); }
article { overflow: auto; padding: 20px 28px 40px; }
article > * { max-width: 1000px; }
article h2 { margin: 0 0 2px; font-size: 22px; line-height: 1.25; overflow-wrap: anywhere; unicode-bidi: plaintext; }
article p { margin: 0 0 12px; color: var(--ink-2); overflow-wrap: anywhere; }
#back { display: none; margin-bottom: 12px; cursor: pointer; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; margin: 16px 0; }
.figures div { padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
.figures dt { color: var(--ink-2); } .figures dd { margin: 0; font-size: 24px; font-weight: 600; font-variant-numeric: tabular-nums; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 16px; margin: 12px 0; }
.facts dt { color: var(--ink-2); } .facts dd { margin: 0; overflow-wrap: anywhere; }
iframe { display: block; width: 100%; height: 62vh; border: 0; background: #fff; resize: vertical; color-scheme: light; }
details { margin-top: 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); overflow: hidden; }
summary { cursor: pointer; font-weight: 600; padding: 10px 16px; }
details[open] > summary { border-bottom: 1px solid var(--line); }
details ul { margin: 0; padding: 4px 16px; list-style: none; } details li { padding: 6px 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; padding: 12px 16px; font: 12.5px/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
pre .added { display: block; background: var(--good-soft); color: var(--good); } pre .removed { display: block; background: var(--bad-soft); color: var(--bad); }
.tag { flex: none; font-size: 12px; font-weight: 500; border-radius: 6px; padding: 0 6px; margin-inline-end: 6px; color: var(--info); background: var(--info-soft); }
nav .tag { margin: 0; }
.tag.new { color: var(--good); background: var(--good-soft); } .tag.changed, .tag.warning { color: var(--warn); background: var(--warn-soft); }
.tag.gone, .tag.error, .tag.bad { color: var(--bad); background: var(--bad-soft); }
@media (max-width: 760px) {
  header { padding: 10px 16px; }
  main { grid-template-columns: minmax(0, 1fr); }
  nav { border-right: 0; }
  article { padding: 16px; }
  body:not(.reading) article, body.reading nav, body.reading header { display: none; }
  #back { display: inline-block; }
}
`
