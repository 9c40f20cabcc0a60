import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: EventSpan","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/observe/interfaces/EventSpan.md","filePath":"reference/api/pawl/observe/interfaces/EventSpan.md"}');
const _sfc_main = { name: "reference/api/pawl/observe/interfaces/EventSpan.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-eventspan" tabindex="-1">Interface: EventSpan <a class="header-anchor" href="#interface-eventspan" aria-label="Permalink to &quot;Interface: EventSpan&quot;">​</a></h1><p>The part of a span of <code>@opentelemetry/api</code> that is used here. So no consumer has to install that package for its types.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="addevent" tabindex="-1">addEvent() <a class="header-anchor" href="#addevent" aria-label="Permalink to &quot;addEvent()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">addEvent</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(name, attributes): unknown;</span></span></code></pre></div><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><h5 id="name" tabindex="-1">name <a class="header-anchor" href="#name" aria-label="Permalink to &quot;name&quot;">​</a></h5><p><code>string</code></p><h5 id="attributes" tabindex="-1">attributes <a class="header-anchor" href="#attributes" aria-label="Permalink to &quot;attributes&quot;">​</a></h5><p><code>Attributes</code></p><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>unknown</code></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/observe/interfaces/EventSpan.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const EventSpan = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  EventSpan as default
};
