import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: UnlockRules","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/locks/interfaces/UnlockRules.md","filePath":"reference/api/pawl/locks/interfaces/UnlockRules.md"}');
const _sfc_main = { name: "reference/api/pawl/locks/interfaces/UnlockRules.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-unlockrules" tabindex="-1">Interface: UnlockRules <a class="header-anchor" href="#interface-unlockrules" aria-label="Permalink to &quot;Interface: UnlockRules&quot;">​</a></h1><p>What becomes of a lock when the work under it has ended.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="onfailure" tabindex="-1">onFailure <a class="header-anchor" href="#onfailure" aria-label="Permalink to &quot;onFailure&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">onFailure</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: UnlockRule;</span></span></code></pre></div><hr><h3 id="onsuccess" tabindex="-1">onSuccess <a class="header-anchor" href="#onsuccess" aria-label="Permalink to &quot;onSuccess&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">onSuccess</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: UnlockRule;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/locks/interfaces/UnlockRules.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const UnlockRules = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  UnlockRules as default
};
