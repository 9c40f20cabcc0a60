import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl-repository","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/index.md","filePath":"reference/api/index.md"}');
const _sfc_main = { name: "reference/api/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawl-repository" tabindex="-1">pawl-repository <a class="header-anchor" href="#pawl-repository" aria-label="Permalink to &quot;pawl-repository&quot;">​</a></h1><h2 id="modules" tabindex="-1">Modules <a class="header-anchor" href="#modules" aria-label="Permalink to &quot;Modules&quot;">​</a></h2><ul><li><a href="./@pawl/cdk/">@pawl/cdk</a></li><li><a href="./pawl/">pawl</a></li><li><a href="./pawl/http/">pawl/http</a></li><li><a href="./pawl/locks/">pawl/locks</a></li><li><a href="./pawl/middy/">pawl/middy</a></li><li><a href="./pawl/observe/">pawl/observe</a></li><li><a href="./pawl/operate/">pawl/operate</a></li><li><a href="./pawl/outbox/">pawl/outbox</a></li><li><a href="./pawl/outbox/eventbridge/">pawl/outbox/eventbridge</a></li><li><a href="./pawl/outbox/sns/">pawl/outbox/sns</a></li><li><a href="./pawl/outbox/s3/">pawl/outbox/s3</a></li><li><a href="./pawl/s3/">pawl/s3</a></li><li><a href="./pawl/postgres/">pawl/postgres</a></li><li><a href="./pawl/powertools/">pawl/powertools</a></li><li><a href="./pawl/sqs/">pawl/sqs</a></li><li><a href="./pawl/statements/">pawl/statements</a></li><li><a href="./pawl/dynamodb/">pawl/dynamodb</a></li><li><a href="./pawl/dynamodb/lean/">pawl/dynamodb/lean</a></li><li><a href="./pawl/sweep/">pawl/sweep</a></li><li><a href="./pawl/transactions/">pawl/transactions</a></li><li><a href="./pawl/workflows/">pawl/workflows</a></li><li><a href="./pawl/workflows/step-functions/">pawl/workflows/step-functions</a></li><li><a href="./@pawl/rehearsal/">@pawl/rehearsal</a></li><li><a href="./@pawl/testing/">@pawl/testing</a></li><li><a href="./@pawl/testing/fakes/">@pawl/testing/fakes</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
