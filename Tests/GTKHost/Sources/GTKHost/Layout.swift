/// The window's objects, for `GtkBuilder`.
let layout = """
  <interface>
    <object class="GtkStringList" id="rows"/>
    <object class="GtkWindow" id="window">
      <property name="title">RunLoopTasks in GTK</property>
      <property name="default-width">520</property>
      <property name="default-height">400</property>
      <property name="titlebar">
        <object class="GtkHeaderBar">
          <child type="end">
            <object class="GtkButton" id="button">
              <property name="label">Add 100 Rows</property>
            </object>
          </child>
        </object>
      </property>
      <property name="child">
        <object class="GtkBox">
          <property name="orientation">vertical</property>
          <child>
            <object class="GtkLabel" id="counts">
              <property name="margin-top">12</property>
              <property name="margin-bottom">12</property>
              <attributes><attribute name="weight" value="bold"/></attributes>
            </object>
          </child>
          <child>
            <object class="GtkScrolledWindow">
              <property name="vexpand">1</property>
              <property name="child">
                <object class="GtkListView" id="list">
                  <property name="show-separators">1</property>
                  <property name="model">
                    <object class="GtkNoSelection"><property name="model">rows</property></object>
                  </property>
                  <property name="factory">
                    <object class="GtkBuilderListItemFactory">
                      <property name="bytes"><![CDATA[\(row)]]></property>
                    </object>
                  </property>
                </object>
              </property>
            </object>
          </child>
        </object>
      </property>
    </object>
  </interface>
  """

private let row = """
  <interface>
    <template class="GtkListItem">
      <property name="child">
        <object class="GtkLabel">
          <property name="xalign">0</property>
          <property name="margin-start">12</property>
          <binding name="label">
            <lookup name="string" type="GtkStringObject"><lookup name="item">GtkListItem</lookup></lookup>
          </binding>
        </object>
      </property>
    </template>
  </interface>
  """
