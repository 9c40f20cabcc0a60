import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: FaultAt","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/interfaces/FaultAt.md","filePath":"reference/api/@pawl/testing/interfaces/FaultAt.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/interfaces/FaultAt.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-faultat" tabindex="-1">Interface: FaultAt <a class="header-anchor" href="#interface-faultat" aria-label="Permalink to &quot;Interface: FaultAt&quot;">​</a></h1><p>One fault, at one await boundary of a run. Boundaries are counted from 1, through all deliveries.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="at" tabindex="-1">at <a class="header-anchor" href="#at" aria-label="Permalink to &quot;at&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">at</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: number;</span></span></code></pre></div><hr><h3 id="fault" tabindex="-1">fault <a class="header-anchor" href="#fault" aria-label="Permalink to &quot;fault&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">fault</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: Fault;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/interfaces/FaultAt.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const FaultAt = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  FaultAt as default
};
