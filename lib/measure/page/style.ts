/**
 * The colours of the page and its diagrams, for light and dark mode. Curves also differ in their dashes, so a diagram is clear
 * without colours.
 */
export const colours = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--line:#d1d9e0;--paper:#fff;--mark:#0a58ca;--second:#9a3b00}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b1;--line:#3d444d;--paper:#0f1419;--mark:#6cb0ff;--second:#ffa657}}`

/**
 * The style of diagrams. A diagram has up to three curves: `series`, `second` and `third`. The halo of texts keeps them legible on lines.
 */
export const diagramStyle = `
svg{font:12px system-ui,sans-serif}
svg text{fill:var(--ink);stroke:var(--paper);stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
svg .soft{fill:var(--soft)}
svg .strong{font-weight:600;fill:var(--second)}
svg .grid{stroke:var(--line);stroke-width:1;fill:none}
svg .axis{stroke:var(--soft);stroke-width:1;fill:none}
svg .ideal{stroke:var(--second);stroke-width:1;stroke-dasharray:5 3;fill:none}
svg .bar{stroke:var(--mark);stroke-width:1.5;fill:none}
svg .dot{fill:var(--mark)}
svg .cut{fill:var(--second)}
svg .count{fill:var(--soft);fill-opacity:.4;stroke:none}
svg .band{fill:var(--mark);fill-opacity:.15;stroke:none}
svg .series{stroke:var(--mark);stroke-width:2;fill:none}
svg .second{stroke:var(--second);stroke-width:2;stroke-dasharray:7 4;fill:none}
svg .third{stroke:var(--ink);stroke-width:2;stroke-dasharray:1.5 3;fill:none}
svg .series-label{fill:var(--mark)}
svg .second-label{fill:var(--second)}`

/** The style of the chart that opens the page. Borders draw its marks, because browsers print no backgrounds. */
const chartStyle = `
h2.chart-title{border:0;margin:1rem 0 .5rem;padding:0}
table.chart{width:100%;margin:.5rem 0}
.chart th,.chart td{border:0;text-align:left;vertical-align:middle}
.chart tbody th{font-weight:600;white-space:normal;overflow-wrap:anywhere;max-width:16rem}
.chart .soft{font-weight:400}
.chart .track{width:50%;min-width:9rem;padding:0 2rem 0 1rem}
.chart td.track>div{position:relative;height:1.75rem;border-right:1px solid var(--line);background:repeating-linear-gradient(to right,var(--line) 0 1px,transparent 1px 20%)}
.chart th.track>span[aria-hidden]{display:block;position:relative;height:1.2rem}
.chart th.track span span{position:absolute;transform:translateX(-50%);font-weight:400;color:var(--soft);white-space:nowrap}
.chart i{position:absolute;top:50%}
.range{border-top:3px solid var(--mark);margin-top:-1.5px}
.point{border:5px solid var(--mark);border-radius:50%;margin:-5px}
.base{border-left:2px solid var(--soft)}
.chart .base{height:14px;margin:-7px -1px}
.key{display:inline-block;height:14px;margin:0 .25rem;vertical-align:-2px}
.only-read{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`

/** The style of the page around the diagrams. */
export const pageStyle = `
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:64rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
h3{font-size:1rem;margin:1rem 0 .5rem}
figure h3{margin-top:0}
p{margin:.25rem 0 .75rem;max-width:44rem}
code{overflow-wrap:anywhere}
.soft{color:var(--soft)}
.diagrams{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem;margin:1.5rem 0}
@media (min-width:50rem),print{.diagrams{grid-template-columns:repeat(2,minmax(0,1fr))}}
figure{margin:0;min-width:0}
figure svg{display:block;width:100%;height:auto;max-width:32rem}
figure.wide{margin:1rem 0}
figure.wide svg{max-width:40rem}
figcaption{font-size:.875rem}
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
td.word,th.word{text-align:left;white-space:normal;overflow-wrap:break-word}
.errors table{width:100%}
.errors .text{width:60%}
.errors th,.errors td{padding-left:.4rem;padding-right:.4rem}
.errors .word{min-width:8ch;max-width:12rem;overflow-wrap:anywhere}
td.cell{text-align:center;background:color-mix(in srgb,var(--mark) calc(var(--share,0)*45%),transparent)}
td.wrong{background:color-mix(in srgb,var(--second) calc(12% + var(--share)*45%),transparent)}
.matrix tbody th{position:sticky;left:0;background:var(--paper);max-width:11rem;overflow:hidden;text-overflow:ellipsis}
.narrow td,.narrow th+th{padding:.1rem}
.narrow thead th{vertical-align:bottom;text-align:left}
.narrow thead th+th span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:11rem;overflow:hidden;text-overflow:ellipsis;font-weight:400}
.narrow td{min-width:1.5rem}
summary{cursor:pointer;color:var(--soft);font-size:.875rem;margin:.25rem 0}
summary:hover{color:var(--mark)}
${chartStyle}
@media (max-width:40rem){
body{padding:1rem .75rem 3rem}
table{font-size:.8125rem}
th,td{padding:.2rem .35rem}
.chart,.chart tbody,.chart tr{display:block}
.chart thead{display:block}
.chart thead th:not(.track){display:none}
.chart thead tr{border:0;padding:0}
.chart tr{display:grid;grid-template-columns:1fr auto;padding:.4rem 0;border-bottom:1px solid var(--line)}
.chart .track{grid-column:1/-1;width:auto;padding:0 1.1rem}
.chart tbody th{grid-column:1/-1}
.chart td.passes{text-align:right}
.chart td.passes::before{content:"passes at 95 %: ";color:var(--soft)}
.stacks,.stacks tbody,.stacks thead{display:block}
.stacks tr{display:flex;flex-wrap:wrap;border-bottom:1px solid var(--line)}
.stacks th,.stacks td{border:0;flex:1 1 4rem;white-space:normal;overflow-wrap:anywhere}
.stacks th:first-child{flex:2 1 6rem}
.stacks td.text,.errors td.text{flex:1 1 100%;width:100%;color:var(--soft)}
.stacks td.text:empty,.stacks th.text{display:none}
}
@media print{
:root{color-scheme:light;--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--mark:#0a58ca;--second:#9a3b00}
@page{margin:14mm}
body{padding:0;max-width:none;font-size:14px;line-height:1.35}
h2{margin:1rem 0 .25rem;padding-top:.5rem;break-after:avoid}
h3{margin:.5rem 0 .25rem;break-after:avoid}
table{font-size:12px}
th,td{padding:.1rem .4rem}
tr,figure{break-inside:avoid}
.scroll{overflow:visible}
.diagrams{gap:.75rem;margin:.5rem 0}
figure svg,figure.wide svg{max-width:22rem}
td.cell,.chart div{print-color-adjust:exact}
summary{display:none}
.figures::details-content{content-visibility:visible;height:auto}
.errors tbody tr:nth-child(n+7){display:none}
}`
