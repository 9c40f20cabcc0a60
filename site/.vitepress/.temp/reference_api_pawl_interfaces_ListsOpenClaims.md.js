import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ListsOpenClaims","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/interfaces/ListsOpenClaims.md","filePath":"reference/api/pawl/interfaces/ListsOpenClaims.md"}');
const _sfc_main = { name: "reference/api/pawl/interfaces/ListsOpenClaims.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-listsopenclaims" tabindex="-1">Interface: ListsOpenClaims <a class="header-anchor" href="#interface-listsopenclaims" aria-label="Permalink to &quot;Interface: ListsOpenClaims&quot;">​</a></h1><p>What a store can do besides: list what is open. An optional capability of a <code>ClaimStore</code>, for operators only. No rule depends on it: the list may lag behind the records by a moment, so an act reads the record again.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./MemoryStore.html"><code>MemoryStore</code></a></li><li><a href="./../dynamodb/interfaces/DynamoStore.html"><code>DynamoStore</code></a></li><li><a href="./../postgres/interfaces/PostgresStore.html"><code>PostgresStore</code></a></li></ul><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="listopen" tabindex="-1">listOpen() <a class="header-anchor" href="#listopen" aria-label="Permalink to &quot;listOpen()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">listOpen</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(query): </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">Promise</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&lt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">OpenPage</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Returns a page of what is open.</p><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><h5 id="query" tabindex="-1">query <a class="header-anchor" href="#query" aria-label="Permalink to &quot;query&quot;">​</a></h5><p><a href="./OpenQuery.html"><code>OpenQuery</code></a></p><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>Promise</code>&lt;<a href="./OpenPage.html"><code>OpenPage</code></a>&gt;</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/interfaces/ListsOpenClaims.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ListsOpenClaims = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ListsOpenClaims as default
};
