import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HiddenMessage","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/fakes/interfaces/HiddenMessage.md","filePath":"reference/api/@pawl/testing/fakes/interfaces/HiddenMessage.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/fakes/interfaces/HiddenMessage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-hiddenmessage" tabindex="-1">Interface: HiddenMessage <a class="header-anchor" href="#interface-hiddenmessage" aria-label="Permalink to &quot;Interface: HiddenMessage&quot;">​</a></h1><p>A message that was hidden before it comes again.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="receipthandle" tabindex="-1">receiptHandle <a class="header-anchor" href="#receipthandle" aria-label="Permalink to &quot;receiptHandle&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">receiptHandle</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: string;</span></span></code></pre></div><hr><h3 id="seconds" tabindex="-1">seconds <a class="header-anchor" href="#seconds" aria-label="Permalink to &quot;seconds&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">seconds</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: number;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/fakes/interfaces/HiddenMessage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HiddenMessage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HiddenMessage as default
};
