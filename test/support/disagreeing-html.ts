/**
 * Documents that simple tokenizers and the parsers of browsers read differently. Each takes HTML that a browser finds in
 * it, or that it would find if it were written again carelessly.
 */
export const disagreeingHtml: Readonly<Record<string, (html: string) => string>> = {
  // Comments and declarations.
  'a CDATA section in HTML': (html) => `<![CDATA[ z>${html}]]>`,
  'a comment that ends with --!>': (html) => `<!-- x --!>${html}-->`,
  'a comment of two dashes': (html) => `<!-->${html}-->`,
  'a comment of three dashes': (html) => `<!--->${html}-->`,
  'a nested comment': (html) => `<!-- <!-- x -->${html}-->`,
  'a processing instruction': (html) => `<?php echo "?>${html}"?>`,
  'a declaration that is none': (html) => `<!element "x>${html}">`,
  'an end tag without a name': (html) => `</>${html}`,
  'an end tag of a sign': (html) => `</ x="${html}">`,
  'a doctype in quotes': (html) => `<!doctype html SYSTEM "x>${html}">`,
  // Foreign content.
  'the title of SVG': (html) => `<svg><title>${html}</title></svg>`,
  'a textarea in SVG': (html) => `<svg><textarea>${html}</textarea></svg>`,
  'a style in MathML': (html) => `<math><style>${html}</style></math>`,
  'a style in SVG': (html) => `<svg><style>${html}</style></svg>`,
  'a script in SVG that closes itself': (html) => `<svg><script/>${html}</svg>`,
  'a CDATA section in SVG': (html) => `<svg><desc><![CDATA[</desc>]]>${html}</desc></svg>`,
  'a comment in a style of SVG': (html) => `<svg><style><!-- </style>${html}--></style></svg>`,
  'a table in MathML': (html) =>
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;${html.replaceAll('"', '&quot;')}">`,
  'an annotation of HTML': (html) => `<math><annotation-xml encoding="text/html"><p>${html}</p></math>`,
  'an annotation that is none': (html) => `<math><annotation-xml><style><p>${html}</style></math>`,
  'a foreign object': (html) => `<svg><foreignObject><style>x</style>${html}</foreignObject></svg>`,
  'a paragraph that ends SVG': (html) => `<svg><desc><svg><p><style><!--</style>${html}--></style></svg>`,
  'a form in MathML': (html) =>
    `<form><math><mtext></form><form><mglyph><style></math>${html}</style></mglyph></form></mtext></math>`,
  'a font with a colour in SVG': (html) => `<svg><font color=red><title>${html}</title></font></svg>`,
  // Elements whose content is text, or is not.
  'a noscript with an attribute': (html) => `<noscript><p title="</noscript>${html}">`,
  'a noscript in the head': (html) => `<head><noscript><style>x</style>${html}</noscript></head>`,
  'an xmp': (html) => `<xmp><p title="</xmp>${html}">`,
  'a noembed': (html) => `<noembed><p title="</noembed>${html}">`,
  'a noframes': (html) => `<noframes><p title="</noframes>${html}">`,
  'an iframe': (html) => `<iframe><p title="</iframe>${html}">`,
  'a textarea': (html) => `<textarea><p title="</textarea>${html}">`,
  'a title in the body': (html) => `<title><p title="</title>${html}">`,
  'a style that closes itself': (html) => `<style/>a{content:"</style>${html}"}`,
  'a script with an escaped script': (html) => `<script><!--<script></script>--></script>${html}`,
  'a select': (html) => `<select><option>x<style></select>${html}</style></select>${html}`,
  'a frameset': (html) => `<frameset><noframes></frameset>${html}</noframes></frameset>`,
  'a template in a table': (html) => `<table><template><tr></template><td>${html}</table>`,
  'a table without cells': (html) => `<table><style></style>${html}<tr>${html}`,
  // Attributes.
  'quotes that do not match': (html) => `<p title="'>${html}'">${html}`,
  'an attribute with an equals sign': (html) => `<p ="x>${html}">${html}`,
  'a tag in a tag': (html) => `<p <b title=">${html}">${html}`,
  'a slash in a tag': (html) => `<p/title="/>${html}">`,
  'a null in a tag': (html) => `<p\0title="x">${html}`,
  'a grave accent': (html) => `<p title=\`>${html}\`>`,
  'an entity without its end': (html) => `<p title="&quot>${html}">&lt${html}`,
  // The tree.
  'elements nested too deeply': (html) => `${'<div>'.repeat(600)}<svg><title>${html}`,
  'formatting that is adopted': (html) => `<a><b><p></a>${html}</b></p>`,
  'a form in a form': (html) => `<form><div></form><form>${html}</form></div>`,
  'a body after the end': (html) => `</body></html>${html}<body><p>${html}`,
}
