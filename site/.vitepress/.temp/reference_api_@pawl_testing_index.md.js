import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@pawl/testing","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/index.md","filePath":"reference/api/@pawl/testing/index.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawltesting" tabindex="-1">@pawl/testing <a class="header-anchor" href="#pawltesting" aria-label="Permalink to &quot;@pawl/testing&quot;">​</a></h1><h2 id="classes" tabindex="-1">Classes <a class="header-anchor" href="#classes" aria-label="Permalink to &quot;Classes&quot;">​</a></h2><ul><li><a href="./classes/SweepError.html">SweepError</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/CallerOptions.html">CallerOptions</a></li><li><a href="./interfaces/CallOptions.html">CallOptions</a></li><li><a href="./interfaces/ClaimStoreLawsOptions.html">ClaimStoreLawsOptions</a></li><li><a href="./interfaces/CrashSweepOptions.html">CrashSweepOptions</a></li><li><a href="./interfaces/CrashSweepReport.html">CrashSweepReport</a></li><li><a href="./interfaces/Fates.html">Fates</a></li><li><a href="./interfaces/FaultAt.html">FaultAt</a></li><li><a href="./interfaces/Finding.html">Finding</a></li><li><a href="./interfaces/LawTest.html">LawTest</a></li><li><a href="./interfaces/LockStoreLawsOptions.html">LockStoreLawsOptions</a></li><li><a href="./interfaces/LosingResponses.html">LosingResponses</a></li><li><a href="./interfaces/Scenario.html">Scenario</a></li><li><a href="./interfaces/SweptMessage.html">SweptMessage</a></li><li><a href="./interfaces/World.html">World</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/CallerVerdict.html">CallerVerdict</a></li><li><a href="./type-aliases/Delivery.html">Delivery</a></li><li><a href="./type-aliases/EffectCount.html">EffectCount</a></li><li><a href="./type-aliases/Expected.html">Expected</a></li><li><a href="./type-aliases/Fault.html">Fault</a></li><li><a href="./type-aliases/Problem.html">Problem</a></li><li><a href="./type-aliases/SweptFate.html">SweptFate</a></li><li><a href="./type-aliases/SweptHandler.html">SweptHandler</a></li><li><a href="./type-aliases/Wrapped.html">Wrapped</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/assertSurvivesCrashes.html">assertSurvivesCrashes</a></li><li><a href="./functions/claimStoreLaws.html">claimStoreLaws</a></li><li><a href="./functions/crashSweep.html">crashSweep</a></li><li><a href="./functions/explain.html">explain</a></li><li><a href="./functions/lockStoreLaws.html">lockStoreLaws</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
