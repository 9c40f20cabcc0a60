import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Two versions side by side","description":"","frontmatter":{},"headers":[],"relativePath":"evidence/versions.md","filePath":"evidence/versions.md"}');
const _sfc_main = { name: "evidence/versions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="two-versions-side-by-side" tabindex="-1">Two versions side by side <a class="header-anchor" href="#two-versions-side-by-side" aria-label="Permalink to &quot;Two versions side by side&quot;">​</a></h1><p><code>npm run campaign -- versions</code> runs an earlier version and this version side by side, while workers are killed. It builds each version with that version&#39;s own scripts, packs it with <code>npm pack</code>, and extracts the tarball as npm installs it. The functions of each version are bundled as a deployment does it, and import the package. So what runs is what npm ships. <code>--older</code> names the earlier commit. The default is <code>BASELINE</code> in <code>proof/campaign/versions/baseline.ts</code>. If there is no earlier version that can be compared, the command says so and ends. Both versions share one DynamoDB Local, one set of queues and the same providers.</p><p>Each of the four runs is a deployment or a rollback. Emails are under <code>park</code> and gift cards under <code>reconcile</code>, or all consumers are under <code>retry</code>.</p><table tabindex="0"><thead><tr><th>phase</th><th>share of the invocations on the earlier version: deployment</th><th>rollback</th></tr></thead><tbody><tr><td>until a third of the effects have happened</td><td>all</td><td>none</td></tr><tr><td>until two thirds have, 45 s at most</td><td>half</td><td>half</td></tr><tr><td>until the queues are empty</td><td>none</td><td>all</td></tr><tr><td>after a redrive of the messages that SQS moved to the dead-letter queues</td><td>none</td><td>none</td></tr></tbody></table><p>A run fails if an effect is lost, or happens twice where the policy promises once. It fails if a payment does not have its two ledger entries, or if a debt is not repaid exactly once.</p><p>Messages that SQS moves to a dead-letter queue in the meantime are counted. If the later version writes <a href="./../guides/deployments.html#deploying-a-version-with-a-new-record">a new record</a>, they are the price of a rollback, and the reason for the redrive in the runbook.</p><h2 id="results" tabindex="-1">Results <a class="header-anchor" href="#results" aria-label="Permalink to &quot;Results&quot;">​</a></h2><p>There is no baseline yet, so there are no results.</p><h2 id="what-it-does-not-show" tabindex="-1">What it does not show <a class="header-anchor" href="#what-it-does-not-show" aria-label="Permalink to &quot;What it does not show&quot;">​</a></h2><ul><li>The back-off of a refused message is short here, so that a rollback does not take hours. In an account the same receives take hours. Some messages may not be dead-lettered before the new version is back.</li><li>Lambda&#39;s own way of shifting traffic. Here each invocation draws its version at random.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("evidence/versions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const versions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  versions as default
};
