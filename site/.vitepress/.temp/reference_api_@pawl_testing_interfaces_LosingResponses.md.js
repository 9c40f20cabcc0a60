import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LosingResponses<Store>","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/interfaces/LosingResponses.md","filePath":"reference/api/@pawl/testing/interfaces/LosingResponses.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/interfaces/LosingResponses.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-losingresponses" tabindex="-1">Interface: LosingResponses&lt;Store&gt; <a class="header-anchor" href="#interface-losingresponses" aria-label="Permalink to &quot;Interface: LosingResponses\\&lt;Store\\&gt;&quot;">​</a></h1><p>The same records, through a store that loses the response of every applied write and sends the write again.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><h3 id="store" tabindex="-1">Store <a class="header-anchor" href="#store" aria-label="Permalink to &quot;Store&quot;">​</a></h3><p><code>Store</code></p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="lost" tabindex="-1">lost <a class="header-anchor" href="#lost" aria-label="Permalink to &quot;lost&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">lost</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: () </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> number;</span></span></code></pre></div><p>How many responses were lost until now.</p><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>number</code></p><hr><h3 id="store-1" tabindex="-1">store <a class="header-anchor" href="#store-1" aria-label="Permalink to &quot;store&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">store</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: Store;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/interfaces/LosingResponses.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LosingResponses = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LosingResponses as default
};
