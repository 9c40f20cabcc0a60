import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PostgresMigration","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/postgres/interfaces/PostgresMigration.md","filePath":"reference/api/pawl/postgres/interfaces/PostgresMigration.md"}');
const _sfc_main = { name: "reference/api/pawl/postgres/interfaces/PostgresMigration.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-postgresmigration" tabindex="-1">Interface: PostgresMigration <a class="header-anchor" href="#interface-postgresmigration" aria-label="Permalink to &quot;Interface: PostgresMigration&quot;">​</a></h1><p>The table of claims, notes and locks, as SQL.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="checksum" tabindex="-1">checksum <a class="header-anchor" href="#checksum" aria-label="Permalink to &quot;checksum&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">checksum</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: string;</span></span></code></pre></div><p>SHA-256 of <code>sql</code>, in hex. It changes if a version of pawl needs another table. The table has it as its comment.</p><hr><h3 id="sql" tabindex="-1">sql <a class="header-anchor" href="#sql" aria-label="Permalink to &quot;sql&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">sql</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: string;</span></span></code></pre></div><p>Statements for <code>psql</code>, for a tool of migrations, or for <code>pool.query</code>. They do no harm where the table is there.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/postgres/interfaces/PostgresMigration.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PostgresMigration = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PostgresMigration as default
};
