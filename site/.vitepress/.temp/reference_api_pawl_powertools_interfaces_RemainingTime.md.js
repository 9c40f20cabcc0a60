import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RemainingTime","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/powertools/interfaces/RemainingTime.md","filePath":"reference/api/pawl/powertools/interfaces/RemainingTime.md"}');
const _sfc_main = { name: "reference/api/pawl/powertools/interfaces/RemainingTime.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-remainingtime" tabindex="-1">Interface: RemainingTime <a class="header-anchor" href="#interface-remainingtime" aria-label="Permalink to &quot;Interface: RemainingTime&quot;">​</a></h1><p>Of Lambda&#39;s context, what matters here: when the invocation ends.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="getremainingtimeinmillis" tabindex="-1">getRemainingTimeInMillis() <a class="header-anchor" href="#getremainingtimeinmillis" aria-label="Permalink to &quot;getRemainingTimeInMillis()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">getRemainingTimeInMillis</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(): number;</span></span></code></pre></div><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>number</code></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/powertools/interfaces/RemainingTime.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RemainingTime = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RemainingTime as default
};
