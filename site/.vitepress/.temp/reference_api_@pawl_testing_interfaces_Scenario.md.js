import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Scenario","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/interfaces/Scenario.md","filePath":"reference/api/@pawl/testing/interfaces/Scenario.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/interfaces/Scenario.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-scenario" tabindex="-1">Interface: Scenario <a class="header-anchor" href="#interface-scenario" aria-label="Permalink to &quot;Interface: Scenario&quot;">​</a></h1><p>One run: how the traffic comes, and what goes wrong. A finding is one, too.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="delivery" tabindex="-1">delivery? <a class="header-anchor" href="#delivery" aria-label="Permalink to &quot;delivery?&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly delivery</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?:</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> Delivery;</span></span></code></pre></div><hr><h3 id="faults" tabindex="-1">faults <a class="header-anchor" href="#faults" aria-label="Permalink to &quot;faults&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">faults</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: readonly FaultAt[];</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/interfaces/Scenario.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Scenario = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Scenario as default
};
