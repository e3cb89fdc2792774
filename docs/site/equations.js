// Typesets equations, which the pages carry as TeX in \( \) and \[ \].
document.querySelectorAll(".arithmatex").forEach(function (element) {
  var text = element.textContent.trim();
  katex.render(text.slice(2, -2), element, {displayMode: text.slice(0, 2) === "\\[", throwOnError: false});
});
