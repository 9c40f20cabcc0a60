import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Intended","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/rehearsal/interfaces/Intended.md","filePath":"reference/api/@pawl/rehearsal/interfaces/Intended.md"}');
const _sfc_main = { name: "reference/api/@pawl/rehearsal/interfaces/Intended.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-intended" tabindex="-1">Interface: Intended <a class="header-anchor" href="#interface-intended" aria-label="Permalink to &quot;Interface: Intended&quot;">​</a></h1><p>What everything that is sent says of itself.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./SendOptions.html"><code>SendOptions</code></a></li><li><a href="./RequestOptions.html"><code>RequestOptions</code></a></li><li><a href="./PublishOptions.html"><code>PublishOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="effects" tabindex="-1">effects? <a class="header-anchor" href="#effects" aria-label="Permalink to &quot;effects?&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly effects</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?:</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> readonly string[];</span></span></code></pre></div><p>The effects that it is to have.</p><h4 id="default" tabindex="-1">Default <a class="header-anchor" href="#default" aria-label="Permalink to &quot;Default&quot;">​</a></h4><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">all</span></span></code></pre></div><hr><h3 id="intent" tabindex="-1">intent <a class="header-anchor" href="#intent" aria-label="Permalink to &quot;intent&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">intent</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: string;</span></span></code></pre></div><p>The name under which its effects are to happen once: <code>order-17</code>. The message, the request or the item has to say it, too.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/rehearsal/interfaces/Intended.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Intended = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Intended as default
};
