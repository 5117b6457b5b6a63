/*
 * style.c -- head and foot of a report's page, with all of its style.
 *
 * Nothing is loaded from elsewhere, and nothing runs. Colours are those of two palettes, of which
 * prefers-color-scheme chooses one; paper takes the light one. Text stands at 4.5 to 1 or more
 * against what is behind it in both. The two series of a figure differ in form too: the original is
 * an outline, the synthetic rows are filled.
 */
#include "core/report/page.h"

static const char light[] =
	"--back:#f4f6f9;--panel:#fff;--ink:#1a2330;--soft:#546072;--line:#d8dfe8;--accent:#2c6db0;"
	"--warm:#b4530f;--warm-back:#fdf1e7;--red:#b3161b;--red-back:#fdeaea;--q0:#eef3f9;--q1:#d3e3f3;"
	"--q2:#abcbe9;--q3:#7aaedb;--q4:#"
	"2f6fae;"
	"--q5:#15406f;--deep:#fff;--won:#b4530f;--chance:#8d99a8;";
static const char dark[] =
	"--back:#10151b;--panel:#1a2129;--ink:#e8edf3;--soft:#a5b1c0;--line:#323d4a;--accent:#6aaaea;"
	"--warm:#f2a25c;--warm-back:#33261a;--red:#ff8f88;--red-back:#361b1c;--q0:#222c37;--q1:#233b53;"
	"--q2:#27507a;--q3:#2f6ba6;--q4:#"
	"74b0ec;"
	"--q5:#c4e1ff;--deep:#0d1319;--won:#f2a25c;--chance:#6f7c8b;";

static const char layout[] =
	"*{box-sizing:border-box}"
	"body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"
	"'Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;overflow-wrap:anywhere}"
	"main{max-width:1200px;margin:0 auto;padding:28px 20px 48px}"
	"header{margin:0 0 24px}"
	"h1{font-size:30px;line-height:1.2;margin:2px 0 8px;letter-spacing:-.01em}"
	"h2{font-size:21px;line-height:1.25;margin:0 0 6px}"
	"h3{font-size:15px;margin:0;line-height:1.3}"
	"p{margin:0 0 12px;max-width:76ch}"
	".eyebrow{font-size:13px;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);"
	"margin:0}"
	".lead{font-size:18px}.keep{white-space:nowrap}"
	".soft,figcaption,.note{color:var(--soft);font-size:14px}"
	"section{background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:22px "
	"22px 18px;"
	"margin:0 0 20px}"
	".warning{border-left:5px solid var(--warm);background:var(--warm-back);padding:12px 16px;"
	"border-radius:6px;margin:0 0 16px}"
	".warning p{margin:0}.warning.noise{border-color:var(--red);background:var(--red-back)}"
	".noise b{color:var(--red)}"
	".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,160px),1fr));gap:"
	"12px;"
	"margin:18px 0 0;padding:0;list-style:none}"
	".tiles li{background:var(--panel);border:1px solid "
	"var(--line);border-radius:12px;padding:12px 16px}"
	".tiles b{display:block;font-size:24px;line-height:1.25;font-weight:650}"
	".tiles span{color:var(--soft);font-size:13px;line-height:1.35;display:block}"
	".cards{columns:330px;column-gap:14px;margin:14px 0 0}"
	"figure{margin:0}"
	".cards figure{border:1px solid var(--line);border-radius:10px;padding:12px 14px 10px;"
	"margin:0 0 14px;break-inside:avoid}"
	".cards figcaption{margin:2px 0 8px}"
	".cards details{padding-top:6px}"
	".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:20px "
	"32px;"
	"align-items:start}"
	".pairs{display:flex;flex-wrap:wrap;gap:20px 32px;align-items:flex-start}.pairs>div{flex:1 1 "
	"320px;min-width:0}"
	".matrix{flex:none;width:min-content;min-width:min(100%,340px);max-width:100%}"
	"svg{display:block;max-width:100%;height:auto}.cards svg{width:100%}.chart svg{width:440px}"
	"svg text{font-size:12px;fill:var(--ink);font-family:inherit}"
	"svg .label,svg .words,svg .number,svg .last{text-anchor:end}"
	"svg .middle,svg .cell,svg .foot{text-anchor:middle}"
	"svg .words,svg .tick,svg .number,svg .foot,svg .rest .label{fill:var(--soft)}"
	"svg .small{font-size:11px}svg .words{font-variant-numeric:tabular-nums}"
	".synthetic{fill:var(--accent)}.rest .synthetic{fill:none;stroke:var(--accent)}"
	".original{fill:var(--panel);stroke:var(--warm);stroke-width:1.5}"
	".original-line{fill:none;stroke:var(--warm);stroke-width:2}"
	".interval{fill:none;stroke:var(--ink);stroke-width:1.5}"
	".axis{fill:none;stroke:var(--line)}"
	".chance{fill:var(--chance)}.won{fill:var(--won)}.lost{fill:none;stroke:var(--chance);stroke-"
	"width:1.5}"
	".frame{fill:none;stroke:var(--line);stroke-width:1.5}svg .name{font-weight:600}"
	".branch{fill:none;stroke:var(--accent);stroke-width:2}"
	".arrow{fill:none;stroke:var(--soft)}.head{fill:var(--soft)}"
	".root{fill:var(--accent)}.member{fill:none;stroke:var(--accent);stroke-width:2}"
	".open{fill:none;stroke:var(--soft);stroke-width:1.5}"
	".column{fill:var(--accent)}.no-column{fill:none;stroke:var(--warm);stroke-width:1.2}"
	"rect.q0{fill:var(--q0)}rect.q1{fill:var(--q1)}rect.q2{fill:var(--q2)}rect.q3{fill:var(--q3)}"
	"rect.q4{fill:var(--q4)}rect.q5{fill:var(--q5)}text.q4,text.q5{fill:var(--deep)}"
	"rect.hatched{fill:none;stroke:var(--line)}.hatch{stroke:var(--soft);stroke-width:1.2}"
	".key{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;margin:10px "
	"0;padding:0;font-size:13px;"
	"color:var(--soft)}"
	".swatch{display:inline-block;width:14px;height:14px;border:1px solid "
	"var(--line);border-radius:3px;"
	"margin-right:6px;vertical-align:-2px;text-align:center;line-height:12px;font-size:12px}"
	".swatch.q0{background:var(--q0)}.swatch.q1{background:var(--q1)}.swatch.q2{background:var(--"
	"q2)}"
	".swatch.q3{background:var(--q3)}.swatch.q4{background:var(--q4)}.swatch.q5{background:var(--"
	"q5)}"
	".swatch.synthetic{background:var(--accent)}.swatch.original{background:none;border:2px solid "
	"var(--warm)}"
	".swatch.root{background:var(--accent);border-radius:7px}.swatch.member{border:2px solid "
	"var(--accent);border-radius:7px}.swatch.open{border:2px solid var(--soft);border-radius:0}"
	".swatch.round{border-radius:7px}.swatch.bar{border:0;border-top:2px solid "
	"var(--ink);border-radius:0;height:0;vertical-align:4px}"
	".swatch.chance{background:var(--chance);border-radius:7px}.swatch.won{background:var(--won);"
	"border-radius:0}"
	".swatch.lost{border:2px solid var(--chance);border-radius:7px}"
	".scroll{overflow-x:auto;margin:8px 0 4px;background:linear-gradient(90deg,var(--panel) 60%,"
	"transparent) 0 0/36px 100% local,linear-gradient(270deg,var(--panel) 60%,transparent) 100% "
	"0/36px 100% local,linear-gradient(90deg,var(--line),transparent) 0 0/12px 100% scroll,"
	"linear-gradient(270deg,var(--line),transparent) 100% 0/12px 100% scroll;"
	"background-repeat:no-repeat}.scroll+p{margin-top:16px}.note{margin-top:8px}.wide{overflow-x:"
	"auto}.wide svg{max-width:none}"
	"table{border-collapse:collapse;font-size:14px;width:100%}"
	"th,td{text-align:left;padding:5px 12px 5px 0;border-bottom:1px solid "
	"var(--line);vertical-align:top;"
	"overflow-wrap:normal}"
	"th{font-weight:600;color:var(--soft);font-size:13px}tbody "
	"th{font-weight:400;color:var(--ink);font-size:14px}"
	".n+td,.n+th{padding-left:14px}td.long,th.long{overflow-wrap:anywhere;min-width:9em}"
	".compared tbody tr:nth-child(odd)>*{border-bottom:0;padding-bottom:0}td.soft{font-size:13px}"
	".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
	"thead .n{white-space:normal}"
	"summary{cursor:pointer;color:var(--soft);font-size:13px}"
	"dl{display:grid;grid-template-columns:minmax(7em,auto) 1fr;gap:6px 18px;margin:10px "
	"0;font-size:15px}"
	"dt{color:var(--soft)}dd{margin:0;min-width:0}"
	".wider{display:none}@media screen and (max-width:960px){.wider.large{display:block}}"
	"@media screen and (max-width:560px){.wider{display:block}.chart svg "
	".small{font-size:12px}main{padding:16px "
	"12px 32px}section{padding:16px 14px "
	"12px}h1{font-size:24px}"
	".lead{font-size:16px}dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 8px}}";

static const char paper[] =
	"color-scheme:light}body{background:#fff;font-size:14px}.soft,figcaption,.note,.key,dl,table,"
	"tbody "
	"th{font-size:12px}.lead{font-size:16px}.scroll{background:none}p{break-inside:avoid}.wider{"
	"display:none}main{max-"
	"width:none;padding:0}section{"
	"border:0;padding:0}"
	".cards{columns:2}figure,tr,.tiles li{break-inside:avoid}h2,h3,.key{break-after:avoid}"
	"section>p{break-after:avoid}"
	".wide "
	"svg{max-width:100%}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}details{"
	"display:none}}\n";

void
dp_put_page_head(DpPage *page, const char *title)
{
	dp_put(page,
		   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		   "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
		   "<title>%s</title>\n<style>\n",
		   title);
	dp_put_markup(page, ":root{");
	dp_put_markup(page, light);
	dp_put_markup(page, "}\n@media (prefers-color-scheme:dark){:root{");
	dp_put_markup(page, dark);
	dp_put_markup(page, "}}\n");
	dp_put_markup(page, layout);
	dp_put_markup(page, "\n@media print{:root{");
	dp_put_markup(page, light);
	dp_put_markup(page, paper);
	dp_put(page, "</style>\n</head>\n<body>\n<main>\n");
}

void
dp_put_page_foot(DpPage *page)
{
	dp_put(page, "</main>\n</body>\n</html>\n");
}
