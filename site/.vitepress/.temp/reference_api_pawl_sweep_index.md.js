import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/sweep","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/sweep/index.md","filePath":"reference/api/pawl/sweep/index.md"}');
const _sfc_main = { name: "reference/api/pawl/sweep/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlsweep" tabindex="-1">pawl/sweep <a class="header-anchor" href="#pawlsweep" aria-label="Permalink to &quot;pawl/sweep&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/SweepContext.html">SweepContext</a></li><li><a href="./interfaces/SweepOptions.html">SweepOptions</a></li><li><a href="./interfaces/SweepReport.html">SweepReport</a></li><li><a href="./interfaces/SweptExecutions.html">SweptExecutions</a></li><li><a href="./interfaces/SweptOperation.html">SweptOperation</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/SweepHandler.html">SweepHandler</a></li><li><a href="./type-aliases/SweptClaim.html">SweptClaim</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/sweepOpenClaims.html">sweepOpenClaims</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/sweep/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
