/**
 * The colours of the page and its diagrams, for light and dark mode. Curves also differ in their dashes, so a diagram is clear
 * without colours.
 */
export const colours = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--line:#d1d9e0;--paper:#fff;--mark:#0a58ca;--second:#9a3b00}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b1;--line:#3d444d;--paper:#0f1419;--mark:#6cb0ff;--second:#ffa657}}`

/** The style of diagrams. A diagram has up to three curves: `series`, `second` and `third`. */
export const diagramStyle = `
svg{font:11px system-ui,sans-serif}
svg text{fill:var(--ink)}
svg .soft{fill:var(--soft)}
svg .grid{stroke:var(--line);stroke-width:1;fill:none}
svg .ideal{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 3;fill:none}
svg .bar{stroke:var(--mark);stroke-width:1.5;fill:none}
svg .dot{fill:var(--mark)}
svg .band{fill:var(--mark);fill-opacity:.15;stroke:none}
svg .series{stroke:var(--mark);stroke-width:2;fill:none}
svg .second{stroke:var(--second);stroke-width:2;stroke-dasharray:7 4;fill:none}
svg .third{stroke:var(--ink);stroke-width:2;stroke-dasharray:1.5 3;fill:none}`

/** The style of the page around the diagrams. */
export const pageStyle = `
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:64rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0 0 .25rem}
h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
h3{font-size:1rem;margin:1rem 0 .5rem}
figure h3{margin-top:0}
p{margin:.25rem 0 .75rem;max-width:44rem}
.soft{color:var(--soft)}
.diagrams{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem;margin:1.5rem 0}
@media (min-width:50rem),print{.diagrams{grid-template-columns:repeat(2,minmax(0,1fr))}}
figure{margin:0;min-width:0}
figure svg{display:block;width:100%;height:auto;max-width:30rem}
.scroll{overflow-x:auto}
.scroll:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
a{color:var(--mark)}
dl{margin:.5rem 0 1.5rem;font-size:.875rem}
dl div{display:flex;gap:.75rem}
dt{flex:0 0 5rem;color:var(--soft)}
dd{margin:0;min-width:0;overflow-wrap:anywhere}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th{font-weight:600}
tbody th{font-weight:400}
th:first-child,td:first-child{text-align:left}
td.text,th.text{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:14ch}
td.word,th.word{text-align:left}
td.cell{background:color-mix(in srgb,var(--mark) calc(var(--share)*45%),transparent);text-align:center}
@media (max-width:40rem){body{padding:1rem .75rem 3rem}table{font-size:.8125rem}th,td{padding:.2rem .35rem}td.text:last-child,td.text:nth-child(n+5){min-width:13rem}}
summary{cursor:pointer;color:var(--soft);font-size:.875rem;margin:.25rem 0}
@media print{
:root{color-scheme:light;--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--mark:#0a58ca;--second:#9a3b00}
@page{margin:12mm}
body{padding:0;max-width:none;font-size:9pt;line-height:1.3}
h2{margin:.75rem 0 .25rem;padding-top:.5rem;break-after:avoid}
h3{margin:.5rem 0 .25rem;break-after:avoid}
table{font-size:7.5pt}
th,td{padding:.05rem .35rem}
tr,figure{break-inside:avoid}
.scroll{overflow:visible}
.diagrams{gap:.5rem;margin:.5rem 0}
figure svg{max-width:15rem}
details{display:none}
figure details[open]{display:block}
.errors tbody tr:nth-child(n+7){display:none}
}`
