import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RequestContext","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/http/interfaces/RequestContext.md","filePath":"reference/api/pawl/http/interfaces/RequestContext.md"}');
const _sfc_main = { name: "reference/api/pawl/http/interfaces/RequestContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-requestcontext" tabindex="-1">Interface: RequestContext <a class="header-anchor" href="#interface-requestcontext" aria-label="Permalink to &quot;Interface: RequestContext&quot;">​</a></h1><p>Of Lambda&#39;s context, the only thing that matters here: when it will be stopped.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="getremainingtimeinmillis" tabindex="-1">getRemainingTimeInMillis? <a class="header-anchor" href="#getremainingtimeinmillis" aria-label="Permalink to &quot;getRemainingTimeInMillis?&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly getRemainingTimeInMillis</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?:</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> () </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> number;</span></span></code></pre></div><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>number</code></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/http/interfaces/RequestContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RequestContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RequestContext as default
};
