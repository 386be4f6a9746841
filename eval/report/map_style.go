package report

// mapStyle follows the reader's setting of a light or a dark ground, as chartStyle does.
const mapStyle = `.map{font:12px system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;--ink:#1c2430;--soft:#5b6675;--line:#d9dfe6;--ground:#fff;--band:#f6f8fa;--pale:#8a97a6}
.map text{fill:var(--soft)}.map .t{fill:var(--ink);font-weight:600;font-size:17px}.map .h,.map .n{fill:var(--ink)}.map .h{font-weight:600}.map .k{font-size:10px;paint-order:stroke;stroke:var(--ground);stroke-width:2.5px;stroke-opacity:.75;stroke-linejoin:round}
.map .b{fill:var(--ground)}.map .c{fill:var(--band)}.map .y{fill:none;stroke:var(--line)}.map .f{stroke-width:1;fill-opacity:.1;stroke-opacity:.45}.map .g{fill:var(--ground)}
.map .m{fill-opacity:.55}.map .p{stroke:var(--ink);stroke-width:1.2}.map .o{fill:none;stroke:#c0392b;stroke-width:1.2}
.map .u{fill:none;stroke:var(--soft);stroke-width:1;stroke-opacity:.6}.map .v{stroke-dasharray:2 3;stroke-opacity:.4}.map .w{fill:none;stroke-width:2.5;stroke-opacity:.35}.map .a{fill:var(--soft)}
.map .z.m{fill-opacity:.38}.map .z.p{fill-opacity:.62;stroke-opacity:.75}.map .z.f{fill-opacity:.06}.map .q.z{fill-opacity:.5}.map .w.z{stroke-opacity:.22}.map .pale{fill:var(--pale);stroke:var(--pale)}.map circle.m{stroke:none}.map .p.pale{stroke:var(--ink)}.map g:hover>.f{stroke-opacity:1;stroke-width:1.6}
@media(prefers-color-scheme:dark){.map{--ink:#e8ecf1;--soft:#a3aebb;--line:#333c48;--ground:#161b22;--band:#1b212a;--pale:#7c8998}}`
