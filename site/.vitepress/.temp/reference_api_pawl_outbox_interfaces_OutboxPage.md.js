import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: OutboxPage","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/outbox/interfaces/OutboxPage.md","filePath":"reference/api/pawl/outbox/interfaces/OutboxPage.md"}');
const _sfc_main = { name: "reference/api/pawl/outbox/interfaces/OutboxPage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-outboxpage" tabindex="-1">Interface: OutboxPage <a class="header-anchor" href="#interface-outboxpage" aria-label="Permalink to &quot;Interface: OutboxPage&quot;">​</a></h1><p>Some messages of a list.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="cursor" tabindex="-1">cursor <a class="header-anchor" href="#cursor" aria-label="Permalink to &quot;cursor&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">cursor</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: string </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">|</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> undefined</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Where the list goes on; nothing at its end.</p><hr><h3 id="messages" tabindex="-1">messages <a class="header-anchor" href="#messages" aria-label="Permalink to &quot;messages&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">messages</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: readonly OutboxRecord[];</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/outbox/interfaces/OutboxPage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OutboxPage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OutboxPage as default
};
