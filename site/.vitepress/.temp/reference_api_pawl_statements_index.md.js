import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/statements","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/statements/index.md","filePath":"reference/api/pawl/statements/index.md"}');
const _sfc_main = { name: "reference/api/pawl/statements/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlstatements" tabindex="-1">pawl/statements <a class="header-anchor" href="#pawlstatements" aria-label="Permalink to &quot;pawl/statements&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/AcceptedBy.html">AcceptedBy</a></li><li><a href="./interfaces/Difference.html">Difference</a></li><li><a href="./interfaces/Finding.html">Finding</a></li><li><a href="./interfaces/Findings.html">Findings</a></li><li><a href="./interfaces/FindingsOptions.html">FindingsOptions</a></li><li><a href="./interfaces/FindingsQuery.html">FindingsQuery</a></li><li><a href="./interfaces/ReconcileStatementsOptions.html">ReconcileStatementsOptions</a></li><li><a href="./interfaces/RestoredOutcome.html">RestoredOutcome</a></li><li><a href="./interfaces/StatementCounts.html">StatementCounts</a></li><li><a href="./interfaces/StatementLine.html">StatementLine</a></li><li><a href="./interfaces/StatementProgress.html">StatementProgress</a></li><li><a href="./interfaces/StatementReport.html">StatementReport</a></li><li><a href="./interfaces/StatementWindow.html">StatementWindow</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/AcceptResult.html">AcceptResult</a></li><li><a href="./type-aliases/FindingCounts.html">FindingCounts</a></li><li><a href="./type-aliases/FindingKind.html">FindingKind</a></li><li><a href="./type-aliases/Statement.html">Statement</a></li><li><a href="./type-aliases/StatementOutcome.html">StatementOutcome</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/findings.html">findings</a></li><li><a href="./functions/reconcileStatements.html">reconcileStatements</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/statements/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
